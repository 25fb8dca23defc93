import { type Cluster } from './data-folder.js';

export function serverSettings(cluster: Cluster, port: number): Readonly<Record<string, string | number>> {
  return {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '256MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // Without wal_compression: the build has only pglz, which makes the first updates after a checkpoint 1.5 times slower.
    max_wal_size: '2GB',
    min_wal_size: '160MB',
    checkpoint_timeout: '15min',
    checkpoint_completion_target: 0.9,
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: 0.05,
    autovacuum_vacuum_insert_scale_factor: 0.1,
    autovacuum_analyze_scale_factor: 0.02,
    autovacuum_vacuum_cost_limit: 2_000,
    ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '5s' }),
    ...(cluster.durable ? {} : settingsOfTests),
  };
}

/** Without what protects against power cuts, and with rare visits of autovacuum: test runs have many databases and pools. */
const settingsOfTests = {
  max_connections: 500,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum_naptime: '60s',
};
