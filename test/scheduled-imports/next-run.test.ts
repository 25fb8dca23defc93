import { expect } from 'chai';
import { sql } from 'kysely';
import { nextRun } from '#src/scheduled-imports/scheduled-import-store.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('the next run of a scheduled import', () => {
  let workspace: OfflineWorkspace;
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
  });

  async function next(every: 'hour' | 'day', at: string, timezone: string, now: string): Promise<string> {
    const { workspaceId, db } = workspace;
    return db.unitOfWork.write({ workspaceId }, async (tx) => {
      await tx.db.updateTable('workspaces').set({ timezone }).where('workspace_id', '=', workspaceId).execute();
      const { rows } = await sql<{ at: Date }>`
        select ${nextRun(tx, { every, at }, sql<Date>`${now}::timestamptz`)} as at`.execute(tx.db);
      return (rows[0] as { at: Date }).at.toISOString();
    });
  }

  it('is at the time of the day in the time zone of the workspace, also when the clock changes', async () => {
    const berlin = (now: string, at = '06:30') => next('day', at, 'Europe/Berlin', now);
    expect(await berlin('2026-02-11T05:29:00Z')).to.equal('2026-02-11T05:30:00.000Z');
    expect(await berlin('2026-02-11T05:30:00Z')).to.equal('2026-02-12T05:30:00.000Z');
    expect(await berlin('2026-03-28T06:00:00Z')).to.equal('2026-03-29T04:30:00.000Z');
    expect(await berlin('2026-03-28T23:30:00Z', '02:30')).to.equal('2026-03-29T01:30:00.000Z');
    expect(await berlin('2026-10-25T04:00:00Z', '02:30')).to.equal('2026-10-26T01:30:00.000Z');
    expect(await next('day', '00:00', 'Pacific/Auckland', '2026-02-11T10:59:00Z')).to.equal('2026-02-11T11:00:00.000Z');
    expect(await next('day', '23:59', 'America/Los_Angeles', '2026-02-11T07:59:30Z')).to.equal(
      '2026-02-12T07:59:00.000Z',
    );
  });

  it('is at the minute of every hour, also in zones with half hours and in the hour that occurs twice', async () => {
    const kolkata = (now: string) => next('hour', '09:15', 'Asia/Kolkata', now);
    expect(await kolkata('2026-02-11T05:44:00Z')).to.equal('2026-02-11T05:45:00.000Z');
    expect(await kolkata('2026-02-11T05:45:00Z')).to.equal('2026-02-11T06:45:00.000Z');
    const berlin = (now: string) => next('hour', '00:30', 'Europe/Berlin', now);
    expect(await berlin('2026-10-25T00:00:00Z')).to.equal('2026-10-25T00:30:00.000Z');
    expect(await berlin('2026-10-25T00:30:00Z')).to.equal('2026-10-25T01:30:00.000Z');
  });
});
