import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { Service } from '#test/support/service.js';
import { installTestTools } from '#test/support/test-tools.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);
const names = ['client', 'cli'] as const;
const csv = 'id,amount,stage,close date,owner email\nD1,1000,Won,2026-03-10,ann@x.io\n';

/** The nightly job of the documentation: imports a file, waits for the calculation, and writes the payroll file. */
const nightly = /```ts\n(import { createClient[\s\S]*?)```/.exec(
  readFileSync(path.join(root, 'docs', 'client.md'), 'utf8'),
)?.[1];

interface Step {
  readonly name?: string;
  readonly run?: string;
}

/** The packages as they are published, installed from their files in an empty project without a network. */
describe('the packages of the client and the command line', function () {
  this.timeout(600_000);
  const service = Service.duringSuite();
  let folder: string;
  let environment: NodeJS.ProcessEnv;

  const inProject = async (command: string) => {
    try {
      return await run('bash', ['-euc', command], { cwd: folder, env: environment });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${command} failed: ${stdout}${stderr}`);
    }
  };

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'packages-'));
    for (const name of names)
      await run('npm', ['pack', '--pack-destination', folder], { cwd: path.join(root, 'packages', name) });
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const { api, apiKey } = await service.workspace();
    await api.saveReps('Ann');
    environment = { ...process.env, COMMISSIONS_URL: service.url, COMMISSIONS_KEY: apiKey };
    await inProject('npm install --omit=dev --offline --no-audit --no-fund ./*.tgz');
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('have the version of the service, no dependencies, and no code of the server', async () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    for (const name of names) {
      const installed = path.join(folder, 'node_modules', '@commission-service', name);
      const manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
      expect(manifest.version, name).to.equal(version);
      expect(manifest.dependencies ?? {}, name).to.deep.equal({});
      const module = name === 'client' ? 'index.js' : 'main.js';
      for (const file of ['README.md', 'LICENSE', `dist/${module}.map`])
        expect(existsSync(path.join(installed, file)), `${name}: ${file}`).to.equal(true);
    }
    const client = readFileSync(path.join(folder, 'node_modules/@commission-service/client/dist/index.js'), 'utf8');
    expect(client).not.to.match(/kysely|from "node:|require\(/);
    expect(client.length).to.be.lessThan(60_000);
    expect((await inProject('npx commissions --version')).stdout.trim()).to.equal(version);
  });

  it('compile under strict TypeScript 7 and 5, and run the nightly job: import, recalculation, export', async () => {
    expect(nightly).to.be.a('string');
    writeFileSync(path.join(folder, 'nightly.ts'), nightly as string);
    writeFileSync(path.join(folder, 'deals.csv'), csv);
    const options = { strict: true, target: 'es2023', module: 'nodenext', lib: ['es2023'], types: ['node'] };
    const typeRoots = [path.join(root, 'node_modules', '@types')];
    const compilerOptions = { ...options, typeRoots, exactOptionalPropertyTypes: true };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['nightly.ts'] }));
    for (const packages of [await installTestTools(), root])
      await inProject(`node ${path.join(packages, 'node_modules/typescript/bin/tsc')} -p tsconfig.json`);
    for (const night of [1, 2]) {
      const { stdout } = await inProject('node nightly.js 2026-03');
      expect(stdout, `night ${night}`).to.match(/^\d+ deals changed\npayroll-2026-03\.csv\n$/);
      expect(readFileSync(path.join(folder, 'payroll-2026-03.csv'), 'utf8')).to.include('Ann');
    }
  });

  it('do the same with the command', async () => {
    await inProject('npx commissions call importDeals --file deals.csv --wait');
    const { stdout } = await inProject('npx commissions call listDealChanges --query limit=10');
    expect(JSON.parse(stdout).deals).to.have.length(1);
    await inProject('npx commissions call recalculateCommissions --body \'{"async": true}\' --wait');
    const rows = await inProject('npx commissions call exportStatementsCsv --query period=2026-03 --query include=all');
    expect(rows.stdout).to.include('Ann');
    const wrong = await inProject('npx commissions call listDeal').catch((error: Error) => error.message);
    expect(wrong).to.include('there is no operation listDeal').and.include('listDeals');
  });

  it('run the commands of the workflow for plan files', async () => {
    const page = readFileSync(path.join(root, 'docs', 'plans.md'), 'utf8');
    const workflow = parse(/<!-- workflow -->\n```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
    const steps: readonly Step[] = workflow.jobs.plans.steps;
    const command = (name: string) => steps.find((step) => step.name === name)?.run ?? expect.fail(name);
    mkdirSync(path.join(folder, 'plans'));
    const rules = [{ name: 'Flat', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }];
    writeFileSync(path.join(folder, 'plans', 'ae.yaml'), JSON.stringify({ name: 'AE', config: { rules } }));
    expect(command('Install')).to.equal('npm ci');
    await inProject('rm -rf node_modules && npm ci --omit=dev --offline --no-audit --no-fund');
    await inProject(command('Test'));
    await inProject(command('Preview'));
    expect(readFileSync(path.join(folder, 'preview.txt'), 'utf8')).to.include('creates the plan AE');
    await inProject(command('Apply'));
    await inProject(command('Preview'));
    expect(readFileSync(path.join(folder, 'preview.txt'), 'utf8')).to.include('no change');
  });
});
