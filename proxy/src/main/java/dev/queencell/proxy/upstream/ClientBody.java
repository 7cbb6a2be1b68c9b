package dev.queencell.proxy.upstream;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;

/** A client's body on its way through: what goes wrong while reading it is told apart. */
public final class ClientBody extends FilterInputStream {
  private ClientBody(InputStream in) {
    super(in);
  }

  /**
   * The body as what is sent on.
   *
   * @param lengthBytes -1 when it is not announced; it is then sent in chunks
   */
  public static InputStreamEntity entity(InputStream in, long lengthBytes) {
    return new InputStreamEntity(new ClientBody(in), lengthBytes, null);
  }

  @Override
  public int read() throws IOException {
    try {
      return super.read();
    } catch (IOException e) {
      throw new ClientBodyException(e);
    }
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    try {
      return super.read(buffer, offset, length);
    } catch (IOException e) {
      throw new ClientBodyException(e);
    }
  }
}
