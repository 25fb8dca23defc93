import { createLog } from '../../platform/log.js';
import { terminalLog } from '../../platform/terminal-log.js';
import { banner } from '../banner.js';
import { type Service } from '../composition.js';
import { readConfig } from '../config.js';
import { runUntilSignal, type Welcome } from '../main.js';
import { SupervisorChannel } from '../supervised.js';

/** Runs the API, the workers or both until the process gets a signal. */
export async function serve({
  api = false,
  worker = false,
  demo,
  restarts,
}: {
  readonly api?: boolean;
  readonly worker?: boolean;
  readonly demo: boolean;
  /** The supervisor sets it. */
  readonly restarts?: string;
}): Promise<void> {
  const supervisor = new SupervisorChannel(restarts !== undefined);
  const config = { ...readConfig(process.env), ...(demo ? {} : { NO_DEMO: true }) };
  const parts = { api: api || !worker, worker: worker || !api, restarts: Number(restarts ?? 0) };
  const running = await runUntilSignal(
    config,
    parts,
    createLog(config.LOG_LEVEL, process.stderr.isTTY ? terminalLog((text) => process.stderr.write(text)) : undefined),
    config.NO_DEMO ? null : createDemo,
    supervisor,
  );
  if (running !== null && parts.restarts === 0) process.stdout.write(banner(running, config.PUBLIC_URL));
}

/** The demo is loaded only by a start that creates it. */
async function createDemo(service: Service): Promise<Welcome> {
  const { createDemoWorkspace, demoWelcome } = await import('#demo/workspace.js');
  return demoWelcome(await createDemoWorkspace(service));
}
