import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { runCommand } from '#test/support/run-command.js';
import { serverFolder } from '#test/support/server-folder.js';
import { ServiceProcess } from '#test/support/service-process.js';

describe('an empty embedded database', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(serverFolder, 'empty-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  async function outputOf(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
    const { stdout, stderr } = await runCommand(args, { DATA_DIR: dataDir, PORT: '0', ...environment });
    return stdout + stderr;
  }

  it('is reported by doctor as empty and not as broken', async () => {
    const output = await outputOf(['doctor']);
    expect(output).to.contain('! Migrations: the database is empty');
    expect(output).to.not.match(/✗ (Migrations|Database role|Job queue|Master key)/);
  });

  it('is migrated by a worker that starts alone', async () => {
    const worker = await ServiceProcess.start(
      'worker',
      { DATA_DIR: dataDir, LOG_LEVEL: 'error' },
      { isInstalled: true },
    );
    expect(await worker.end()).to.equal(0);
  });

  it('causes a warning if another service runs on its own database', async () => {
    const service = createServer((_request, response) => response.end('{"status":"ready"}'));
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const port = String((service.address() as AddressInfo).port);
    try {
      const output = await outputOf(['migrate'], { PORT: port });
      expect(output).to.contain(`The service that responds at http://127.0.0.1:${port} does not use the data folder`);
    } finally {
      service.close();
    }
    expect(await outputOf(['migrate', 'status'], { PORT: port })).to.not.contain('does not use');
  });
});
