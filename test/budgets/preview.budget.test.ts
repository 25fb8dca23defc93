import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { importPath, readPipeline, saveMapping, savePlans, saveTeams } from '#test/support/sales-opportunities.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

const rounds = 3;
const tickMs = 10;

interface Cost {
  readonly wallMs: number;
  /** Of the service and of the database connections that it used. */
  readonly cpuMs: number;
}

describe('the preview of a plan change on 8,800 opportunities', () => {
  const service = Service.duringSuite();
  let world: Workspace;
  let planId: string;
  let config: Record<string, unknown>;

  before(async () => {
    world = await service.workspace();
    const { api, workspaceId } = world;
    const teams = await saveTeams(api);
    await saveMapping(api);
    await savePlans(api, teams);
    await api.expect(200, 'POST', importPath, await readPipeline(), { 'Content-Type': 'text/csv' });
    await service.waitForCalculations(workspaceId);
    const [plan] = await api.expect(200, 'GET', '/v1/plans');
    planId = plan.planId;
    config = JSON.parse(JSON.stringify(plan.config).replaceAll('"rate":0.06', '"rate":0.07'));
  });

  /** 0 if the database server runs on another machine. */
  function cpuOf(pid: number): number {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) * tickMs;
    } catch {
      return 0;
    }
  }

  /** CPU time of each connection of the database. */
  async function databaseCpu(): Promise<ReadonlyMap<number, number>> {
    const rows = await service.sql<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database()',
    );
    return new Map(rows.map(({ pid }) => [pid, cpuOf(pid)]));
  }

  async function costOf(work: () => Promise<unknown>): Promise<Cost> {
    const [connections, own, start] = [await databaseCpu(), process.cpuUsage(), performance.now()];
    await work();
    const wallMs = performance.now() - start;
    const { user, system } = process.cpuUsage(own);
    const used = [...(await databaseCpu())].map(([pid, ms]) => ms - (connections.get(pid) ?? 0));
    return { wallMs, cpuMs: (user + system) / 1000 + used.reduce((sum, ms) => sum + ms, 0) };
  }

  const preview = () =>
    world.api.expect(200, 'POST', `/v1/plans/${planId}/preview`, { config, from: '2016-01-01', to: '2018-12-31' });

  /** From an empty ledger, so that every event is calculated and written. */
  async function recalculate(): Promise<Cost> {
    await world.api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });
    await service.waitForCalculations(world.workspaceId);
    return costOf(() => world.api.expect(200, 'POST', '/v1/commissions/recalculate', {}));
  }

  it('is faster than one full recalculation, in time and in CPU time', async () => {
    await recalculate();
    const { count } = await preview();
    expect(count).to.be.greaterThan(4000);
    const costs: { readonly full: Cost; readonly previewed: Cost }[] = [];
    for (let round = 0; round < rounds; round += 1)
      costs.push({ full: await recalculate(), previewed: await costOf(preview) });
    // The least of each, because other processes of the machine only add to them.
    const ratioOf = (figure: keyof Cost) =>
      Math.min(...costs.map(({ previewed }) => previewed[figure])) / Math.min(...costs.map(({ full }) => full[figure]));
    expect(ratioOf('wallMs'), 'time of a preview divided by that of the recalculation').to.be.lessThan(1);
    expect(ratioOf('cpuMs'), 'CPU time of a preview divided by that of the recalculation').to.be.lessThan(1);
  });
});
