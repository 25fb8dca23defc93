import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { demoPlanChange, demoPlans } from '#demo/plans.js';
import { planTemplates } from '#src/plans/templates-catalog.js';
import { command, root } from '#test/support/command.js';
import { runCommand } from '#test/support/run-command.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

/** Stores the rate tables that templates name. */
async function storeTables({ api }: Workspace): Promise<void> {
  for (const { name, ...content } of planTemplates.flatMap(({ tables = [] }) => tables))
    await api.expect(200, 'PUT', `/v1/rate-tables/${encodeURIComponent(name)}`, content);
}

describe('commissions plan', () => {
  const service = Service.duringSuite();
  let folder: string;

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'plan-files-'));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (apiKey: string, ...args: string[]) =>
    runCommand(['plan', ...args], { COMMISSIONS_URL: service.url, COMMISSIONS_KEY: apiKey }, folder);

  const contents = (dir: string) =>
    Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(path.join(dir, name), 'utf8')]));

  it('round-trips every template and the demo plans: a second pull changes no byte, a diff finds nothing', async () => {
    const source = await service.workspace();
    const today = '2026-05-15';
    const change = demoPlanChange(today);
    await storeTables(source);
    for (const { name, planConfig } of planTemplates) await source.api.createPlan({ name, ...planConfig });
    const demo = demoPlans(today);
    for (const { name, config } of demo) {
      const { planId } = await source.api.createPlan({ name: `${name} (demo)`, config });
      if (name === change.plan)
        await source.api.expect(200, 'PATCH', `/v1/plans/${planId}`, {
          config: change.config,
          effectiveStart: change.effectiveStart,
        });
    }
    const [first, second] = ['first', 'second'].map((name) => path.join(folder, name)) as [string, string];
    for (const dir of [first, second]) mkdirSync(dir);
    expect((await run(source.apiKey, 'pull', '--dir', first)).code).to.equal(0);
    const pulled = contents(first);
    expect(Object.keys(pulled)).to.have.length(planTemplates.length + demo.length);
    expect((await run(source.apiKey, 'pull', '--dir', first)).code).to.equal(0);
    expect(contents(first)).to.deep.equal(pulled);
    const files = Object.keys(pulled).map((name) => path.join(first, name));
    const unchanged = await run(source.apiKey, 'diff', ...files);
    expect(unchanged, unchanged.stderr).to.include({ code: 0 });
    expect((await run(source.apiKey, 'test', ...files)).code).to.equal(0);

    const target = await service.workspace();
    await storeTables(target);
    const pushed = await run(target.apiKey, 'push', ...files);
    expect(pushed, pushed.stderr).to.include({ code: 0 });
    expect((await run(target.apiKey, 'pull', '--dir', second)).code).to.equal(0);
    expect(contents(second)).to.deep.equal(pulled);
    const again = await run(target.apiKey, 'push', ...files);
    expect(again.stdout.match(/no change/g)).to.have.length(files.length);
  });

  it('diff shows the change and its preview and exits with 1; push applies it, and a failed test rejects it', async () => {
    const workspace = await service.workspace();
    const { apiKey } = workspace;
    await saveSales(service, workspace);
    const file = path.join(folder, 'sales.yaml');
    expect((await run(apiKey, 'pull', 'sales', '--out', file)).code).to.equal(0);
    writeFileSync(file, `# Raised in May\n${readFileSync(file, 'utf8').replace('rate: 0.1', 'rate: 0.2')}`);
    const changed = await run(apiKey, 'diff', file);
    expect(changed, changed.stderr).to.include({ code: 1 });
    expect(changed.stdout).to.include('config.rules[Commission].tiers[0].rate: 0.1 → 0.2');
    expect(changed.stdout).to.include('commission: 100.00 → 200.00 USD (+100.00), 1 deal').and.include('tests: FAILED');
    const failed = await run(apiKey, 'test', file);
    expect(failed).to.include({ code: 1 });
    expect(failed.stdout).to.include('Ten percent: Commission, a: expected 100, but the plan pays 200');
    const rejected = await run(apiKey, 'push', file);
    expect(rejected).to.include({ code: 2 });
    expect(rejected.stderr).to.include('plan_tests_failed').and.include('expected 100, but the plan pays 200');
    writeFileSync(file, readFileSync(file, 'utf8').replace('amount: 100\n', 'amount: 200\n'));
    expect((await run(apiKey, 'push', file)).stdout).to.include('changed config, tests of Sales, version 2');
    expect((await run(apiKey, 'pull', 'Sales', '--out', file)).code).to.equal(0);
    expect(readFileSync(file, 'utf8')).to.match(/^# Raised in May\n/);
    expect((await run(apiKey, 'diff', file)).code).to.equal(0);
  });

  it('exits with 2 and a reason on errors', async () => {
    const { apiKey } = await service.workspace();
    const file = path.join(folder, 'wrong.yaml');
    writeFileSync(file, 'name: Wrong\nconfig: {rules: []}\n');
    const wrong = await run(apiKey, 'push', file);
    expect([wrong.code, wrong.stderr]).to.deep.equal([2, wrong.stderr]);
    expect(wrong.stderr).to.include(`${file}: `).and.to.include('config.rules');
    const good = path.join(folder, 'good.yaml');
    writeFileSync(
      good,
      'name: Good\nconfig: {rules: [{name: R, measure: amount, tiers: [{tierIndex: 0, minThreshold: 0, rate: 0.1}]}]}\n',
    );
    const both = await run(apiKey, 'diff', file, good);
    expect([both.code, both.stdout.includes(`${good}: creates the plan Good`)], both.stdout).to.deep.equal([2, true]);
    expect(both.stderr).to.include(`${file}: `);
    for (const [args, key, reason] of [
      [['diff', path.join(folder, 'missing.yaml')], apiKey, 'ENOENT'],
      [['pull', 'Nope'], apiKey, 'there is no plan Nope'],
      [['pull'], 'ws_wrong', 'unauthorized'],
      [['pull', '--url', 'http://127.0.0.1:9'], apiKey, 'cannot be reached'],
    ] as const) {
      const { code, stderr } = await run(key, ...args);
      expect([code, stderr.includes(reason)], stderr).to.deep.equal([2, true]);
    }
  });

  it('the workflow in docs/plans.md runs step by step', async () => {
    const workspace = await service.workspace();
    const { apiKey } = workspace;
    await saveSales(service, workspace);
    const documentation = readFileSync(path.join(root, 'docs', 'plans.md'), 'utf8');
    const workflow = parse(/<!-- workflow -->\n```yaml\n(.*?)```/s.exec(documentation)?.[1] ?? '');
    const repository = path.join(folder, 'repository');
    mkdirSync(path.join(repository, 'plans'), { recursive: true });
    mkdirSync(path.join(repository, 'bin'));
    const npx = path.join(repository, 'bin', 'npx');
    writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${command}" "$@"\n`);
    const gh = path.join(repository, 'bin', 'gh');
    writeFileSync(gh, '#!/bin/sh\ncat "$5"\n');
    for (const tool of [npx, gh]) chmodSync(tool, 0o755);
    writeFileSync(path.join(repository, 'bin', 'npm'), '#!/bin/sh\n');
    chmodSync(path.join(repository, 'bin', 'npm'), 0o755);
    await run(apiKey, 'pull', '--dir', path.join(repository, 'plans'));
    const file = path.join(repository, 'plans', 'sales.yaml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('rate: 0.1', 'rate: 0.2').replace('amount: 100\n', 'amount: 200\n'),
    );
    type Step = { name?: string; run?: string; if?: string };
    const steps = (event: string) =>
      (workflow.jobs.plans.steps as Step[]).filter(
        (step) => step.run !== undefined && (step.if === undefined || step.if === `github.event_name == '${event}'`),
      );
    const runSteps = async (event: string) => {
      const outputs: Record<string, string> = {};
      for (const { name = '', run: script = '' } of steps(event)) {
        const env = {
          PATH: `${path.join(repository, 'bin')}:${process.env['PATH']}`,
          COMMISSIONS_URL: service.url,
          COMMISSIONS_KEY: apiKey,
          PR: '1',
        };
        const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], {
          cwd: repository,
          env,
        });
        outputs[name] = stdout;
      }
      return outputs;
    };
    const pullRequest = await runSteps('pull_request');
    expect(Object.keys(pullRequest)).to.deep.equal(['Install', 'Test', 'Preview', 'Show the preview']);
    expect(pullRequest['Test']).to.include('1 passed');
    expect(pullRequest['Show the preview']).to.include('commission: 100.00 → 200.00 USD (+100.00)');
    const merged = await runSteps('push');
    expect(merged['Apply']).to.include('changed config, tests of Sales, version 2');
  });
});

/** A plan Sales of 10 % with a test, and a deal of 1,000. */
async function saveSales(service: Service, { api, workspaceId }: Workspace): Promise<void> {
  const repIds = await api.saveReps('Ann');
  const test = {
    name: 'Ten percent',
    deals: [{ dealId: 'a', closeDate: '2026-02-10', amount: 1000 }],
    expected: [{ ruleName: 'Commission', dealId: 'a', amount: 100 }],
  };
  const { planId } = await api.createPlan({
    name: 'Sales',
    config: {
      rules: [{ name: 'Commission', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }],
    },
    tests: [test],
  });
  await api.assign(repIds, planId);
  const deals = [{ dealId: 'd1', ownerId: 'ann', amount: 1000, closeDate: '2026-02-10', stage: 'Won' }];
  await api.expect(200, 'POST', '/v1/deals/import', { deals });
  await service.waitForCalculations(workspaceId);
}
