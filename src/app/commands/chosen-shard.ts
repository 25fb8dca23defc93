/** The database of the option `--shard`; null for the first one, or for all where a command works on all. */
export const chosenShard: { name: string | null } = { name: null };
