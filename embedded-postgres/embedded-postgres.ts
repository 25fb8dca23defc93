import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, type EmbeddedPostgresOptions, prepareCluster } from './data-folder.js';
import { prepareData } from './initdb.js';
import { keepRunning } from './keep-running.js';
import { launch, logFile } from './launch.js';
import { claimFile, type Postmaster, runningServer, shutDown } from './postmaster.js';
import { isPostgres } from './processes.js';
import { type Secrets } from './secrets.js';
import { answers, appUrl, ownerUrl, provision, superuserUrl } from './sessions.js';
import { countUsers, registerUse } from './users.js';

export interface EmbeddedPostgres {
  readonly ownerUrl: string;
  /** Connects as a role that owns nothing. */
  readonly appUrl: string;
  readonly superuserUrl: string;
  /** True when a living process other than this one started the server and still uses it. */
  readonly joined: boolean;
  /** Location of PostgreSQL's files: `<dataDir>/postgres`, or the target of that link. */
  readonly dataDir: string;
  /** Ends this process's use of the server. The last user stops it. */
  stop(): Promise<void>;
}

const startTimeoutMs = 120_000;
const answerTimeoutMs = 10_000;

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options);
  const withdraw = await registerUse(cluster);
  // A server that turns out to belong to others must survive our failure.
  let leave = withdraw;
  try {
    const secrets = await prepareData(cluster);
    const { server, started } = await joinOrStart(cluster, secrets);
    leave = () => withdraw().then(() => stopIfUnused(cluster, server));
    const joined = !started && (await countUsers(cluster)) > 1;
    await provision(cluster, server, secrets);
    const endWatch = keepRunning(cluster, server, () => startAgain(cluster, server, secrets));
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopping ??= endWatch().then(leave);
      return stopping;
    };
    const urls = {
      ownerUrl: ownerUrl(server, secrets),
      appUrl: appUrl(server, secrets),
      superuserUrl: superuserUrl(server, secrets),
    };
    return { ...urls, joined, dataDir: cluster.dataDir, stop };
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
}

async function joinOrStart(cluster: Cluster, secrets: Secrets): Promise<{ server: Postmaster; started: boolean }> {
  const begun = Date.now();
  const deadline = begun + startTimeoutMs;
  while (Date.now() < deadline) {
    const running = await runningServer(cluster);
    if (running === undefined) {
      const server = await launch(cluster, deadline);
      if (server !== undefined) return { server, started: true };
    } else {
      if (await answers(cluster, running, secrets)) return { server: running, started: false };
      if (running.ready && Date.now() - begun > answerTimeoutMs) throw staleClaim(cluster, running);
    }
    await sleep(20);
  }
  throw new Error(`PostgreSQL in ${cluster.dataDir} was not ready in time; read ${logFile(cluster)} and start again.`);
}

/** At the same port, since addresses that name it are in use. */
async function startAgain(cluster: Cluster, { port }: Postmaster, secrets: Secrets): Promise<Postmaster> {
  const { server } = await joinOrStart({ ...cluster, port }, secrets);
  if (server.port !== port) throw new Error(`another process started it on port ${server.port}; start this one again`);
  return server;
}

/** The pid in postmaster.pid may belong to another program by now; a server that claims to be ready must answer. */
function staleClaim(cluster: Cluster, running: Postmaster): Error {
  return new Error(
    `${claimFile(cluster)} names process ${running.pid}, which does not answer on port ${running.port}; ` +
      'if that process is a PostgreSQL, stop it; if it is not, delete the file; then start again.',
  );
}

async function stopIfUnused(cluster: Cluster, known: Postmaster): Promise<void> {
  if ((await countUsers(cluster)) > 0) return;
  // Without its pid file, as after "rm -rf .data", the server still runs for a minute.
  const server = (await runningServer(cluster)) ?? known;
  if (isPostgres(server.pid)) await shutDown(cluster, server);
}
