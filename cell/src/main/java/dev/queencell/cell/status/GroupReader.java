package dev.queencell.cell.status;

/** Reads control groups by their name below the root of the hierarchy. */
interface GroupReader {
  /** The group as it is now; {@link GroupUse#NONE} for an empty name or a group that is gone. */
  GroupUse read(String name);

  static GroupReader ofKernel() {
    return name -> GroupUse.NONE;
  }
}
