import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { sql } from 'kysely';
import { previewWorkspace } from '#src/access/workspaces/commands/preview-workspace.js';
import { updateWorkspace } from '#src/access/workspaces/commands/update-workspace.js';
import { createWorkspace } from '#src/access/workspaces/create-workspace.js';
import { dayInZone } from '#src/kernel/day.js';
import { isTimeZone, zoneOffset } from '#src/kernel/time-zone.js';
import { nextRun } from '#src/scheduled-imports/scheduled-import-store.js';
import { root } from '#test/support/command.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

/** Names that Node.js has and PostgreSQL does not, or that mean another zone there. */
const ambiguous = ['CAT', 'IST', 'AST', 'CTT', 'PST'];

describe('time zones of workspaces', () => {
  let workspace: OfflineWorkspace;
  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
  });

  /** Every place in which a workspace gets a time zone. The setup page, the command and the demo create with the last. */
  const places: Readonly<Record<string, (timezone: string) => Promise<unknown>>> = {
    updateWorkspace: (timezone) => workspace.run(updateWorkspace, { body: { timezone } }),
    previewWorkspace: (timezone) => workspace.run(previewWorkspace, { body: { timezone } }),
    createWorkspace: (timezone) =>
      createWorkspace(workspace.db.unitOfWork, { name: 'New', tier: 'pro', currency: 'USD', timezone }),
  };
  const zones = async () =>
    (await sql<{ timezone: string }>`select timezone from workspaces order by 1`.execute(workspace.db.owner)).rows.map(
      ({ timezone }) => timezone,
    );

  for (const [place, give] of Object.entries(places))
    it(`are those of PostgreSQL, in its spelling: ${place}`, async () => {
      expect(ambiguous.filter(isTimeZone)).to.deep.equal(ambiguous);
      for (const name of ambiguous) {
        const failure = await give(name).then(
          () => expect.fail(`${name} was accepted`),
          (error: unknown) => error,
        );
        expect(failure).to.include({ code: 'VALIDATION_FAILED' });
      }
      expect(await zones()).to.deep.equal(['UTC']);
      await give('europe/BERLIN');
      if (place !== 'previewWorkspace') expect(await zones()).to.include('Europe/Berlin');
    });

  it('are returned in that spelling', async () => {
    const { timezone } = await workspace.run(updateWorkspace, { body: { timezone: 'america/new_york' } });
    expect(timezone).to.equal('America/New_York');
  });

  it('have offsets in seconds ahead of UTC', () => {
    const instant = new Date('2026-07-01T00:00:00Z');
    expect(zoneOffset(instant, 'America/St_Johns')).to.equal(-9000);
    expect(zoneOffset(instant, 'Pacific/Kiritimati')).to.equal(50_400);
  });

  it('count as UTC where a stored one is unknown, in both', async () => {
    const store = (timezone: string) => sql`update workspaces set timezone = ${timezone}`.execute(workspace.db.owner);
    expect(dayInZone(new Date('2026-05-15T23:30:00Z'), 'Mars/Olympus')).to.equal('2026-05-15');
    const [manager = ''] = await workspace.addReps('Mia');
    const { workspaceId, db } = workspace;
    for (const zone of [...ambiguous, 'Mars/Olympus']) {
      await store(zone);
      await db.unitOfWork.write({ workspaceId }, async (tx) => {
        const every = [nextRun(tx, { every: 'day', at: '06:30' }), nextRun(tx, { every: 'hour', at: '00:15' })];
        const { rows } = await sql<{ people: string[]; runs: Date[] }>`
          select people_below(${workspaceId}, ${manager}) as people, array[${sql.join(every)}] as runs`.execute(tx.db);
        expect(rows[0]?.people).to.deep.equal([manager]);
        expect(rows[0]?.runs.every((at) => at.getTime() > Date.now())).to.equal(true);
      });
    }
  });

  it('are never read by PostgreSQL without known_zone', () => {
    const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join('src', file));
    const reads = ['docs/reference/schema.sql', ...sources].flatMap((file) =>
      [
        ...readFileSync(path.join(root, file), 'utf8').matchAll(
          /at time zone (?!'UTC'|known_zone\(|\$\{zone\}|z\.name|zone;).*/gi,
        ),
      ].map(([found]) => `${file}: ${found}`),
    );
    expect(reads).to.deep.equal([]);
  });
});
