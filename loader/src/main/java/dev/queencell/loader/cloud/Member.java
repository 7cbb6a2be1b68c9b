package dev.queencell.loader.cloud;

import dev.queencell.client.QueenClient;

/**
 * A tenant as the load knows it.
 *
 * @param index its number in the account and in every stamp
 */
record Member(int index, String name, QueenClient client, String queue) {}
