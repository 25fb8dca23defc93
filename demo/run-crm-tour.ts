import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { StartLinks } from '#src/access/auth/start-links.js';
import { createWorkspace } from '#src/access/workspaces/create-workspace.js';
import { readConfig } from '#src/app/config.js';
import { type RunningProcess, start } from '#src/app/main.js';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { type Config } from '#src/platform/config.js';
import { createLog } from '#src/platform/log.js';
import { CrmScenarios } from './crm-scenarios.js';
import { DemoCrmTour } from './crm-tour.js';
import { DemoCrms } from './crms.js';
import { DemoApi } from './demo-api.js';

const keys: Readonly<Record<string, CrmProvider>> = { a: 'crma', b: 'crmb', c: 'crmc' };

/**
 * Runs the service on a temporary data folder with three simulated CRMs connected to it: first what goes wrong with real
 * accounts, then a prompt that closes deals.
 */
export async function runDemoCrm(
  environment: NodeJS.ProcessEnv,
  port: string,
  say: (text: string) => void,
): Promise<void> {
  say('\n  Starting the service and simulated CRMs. This takes some seconds.\n');
  const folder = await mkdtemp(path.join(tmpdir(), 'commissions-demo-crm-'));
  const crms = await DemoCrms.start();
  try {
    await runTour(crms, readTourConfig({ ...environment, ...crms.environment }, folder, port), say);
  } finally {
    await crms.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function readTourConfig(environment: NodeJS.ProcessEnv, folder: string, port: string): Config {
  const { DATABASE_URL: _, DATABASE_OWNER_URL: __, REDIS_URL: ___, ...own } = environment;
  return readConfig({
    LOG_LEVEL: 'error',
    ...own,
    NODE_ENV: '',
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    NO_DEMO: '1',
  });
}

async function runTour(crms: DemoCrms, config: Config, say: (text: string) => void): Promise<void> {
  const running = await start(config, { api: true, worker: true }, createLog(config.LOG_LEVEL));
  const url = running.url ?? '';
  try {
    const { api, workspaceId } = await demoWorkspace(running, url, 'Demo: simulated CRMs');
    const tour = new DemoCrmTour(crms, api);
    await tour.prepare();
    say(
      `\n  The service is at ${url}, its key for this demo is\n    ${api.apiKey}\n  Simulated: ${crms.addresses.join(', ')}\n` +
        `  Look at it in a browser, as its admin: ${url}${await createSignInPath(running, api, workspaceId)}\n`,
    );
    const { api: sandbox } = await demoWorkspace(running, url, 'Demo: a sandbox');
    for await (const text of new CrmScenarios(crms, api, sandbox).run()) say(`\n  ${text}\n`);
    say('\n  a, b or c and Enter closes a deal in that CRM; q ends.\n\n');
    await prompt(tour, say);
  } finally {
    await running.stop();
  }
}

interface DemoWorkspace {
  readonly api: DemoApi;
  readonly workspaceId: string;
}

async function demoWorkspace(running: RunningProcess, url: string, name: string): Promise<DemoWorkspace> {
  const terms = { tier: 'enterprise', currency: 'USD', timezone: 'UTC', isDemo: true } as const;
  const { apiKey, workspaceId } = await createWorkspace(running.service.unitOfWork, { name, ...terms });
  return { api: new DemoApi(url, apiKey), workspaceId };
}

/** Adds an admin and returns the path of a link that signs in as this person once. */
async function createSignInPath({ service }: RunningProcess, api: DemoApi, workspaceId: string): Promise<string> {
  const admin = { name: 'Alex Morgan', email: 'alex.morgan@demo.example', role: 'admin' };
  const { reps } = await api.request('PUT', '/v1/reps', { reps: [admin] });
  return `/start#${service.parts.resolve(StartLinks).create({ kind: 'sign_in', workspaceId, repId: reps[0].id })}`;
}

async function prompt(tour: DemoCrmTour, say: (text: string) => void): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.on('SIGINT', () => lines.close());
  process.once('SIGINT', () => lines.close());
  process.once('SIGTERM', () => lines.close());
  for await (const line of lines) {
    const typed = line.trim().toLowerCase();
    if (typed === 'q') break;
    const provider = keys[typed];
    if (provider === undefined) say('  a, b, c or q\n');
    else say(`  ${(await tour.closeDeal(provider)) ?? `every deal in ${provider} is closed`}\n`);
  }
  lines.close();
}
