import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '#migrations/index.js';
import { resetCommissions } from '#src/commissions/commands/reset-commissions.js';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { updateRep } from '#src/people/reps/commands/update-rep.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { updatePlan } from '#src/plans/commands/update-plan.js';
import { setQuotas } from '#src/plans/quotas/commands/set-quotas.js';
import { migrateToLatest } from '#src/platform/database/migrate.js';
import { addAdjustment } from '#src/statements/commands/add-adjustment.js';
import { approveStatement } from '#src/statements/commands/approve-statement.js';
import { deleteAdjustment } from '#src/statements/commands/delete-adjustment.js';
import { generateStatement } from '#src/statements/commands/generate-statement.js';
import { trueUpStatement } from '#src/statements/commands/true-up-statement.js';
import { type DebianPostgres, ownedDatabase, startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { expectSoundLedger, ledgerRows, query } from '#test/support/ledger-checks.js';
import { OfflineDatabase } from '#test/support/offline-database.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { readingAllWorkspaces } from '#test/support/test-database.js';
import { copierOf } from './copy-workspace.js';
import { type Action, interleave, type Outcome, outcomeOf, Session } from './interleaving.js';
import { type Schedule, schedules } from './schedules.js';

const march = '2026-03';

/** Ben reports to Mia, who earns on his commission; Ada is another rep. March has ended, and nothing is approved. */
interface Scene {
  readonly workspace: OfflineWorkspace;
  readonly ben: string;
  readonly ada: string;
  readonly mia: string;
  readonly planId: string;
  /** An adjustment of Ben in March. */
  readonly adjustmentId: string;
}

/** Returns a separate scene each time. */
type Stage = () => Promise<Scene>;

interface Pair {
  readonly name: string;
  /** Actions that run before the pair. */
  readonly given?: readonly ((scene: Scene) => Action)[];
  readonly first: (scene: Scene) => Action;
  readonly second: (scene: Scene) => Action;
}

const calculateBen = (scene: Scene) => calculate(scene, scene.ben);
const calculateBenAndAda = (scene: Scene) => calculate(scene, scene.ben, scene.ada);
const calculateAdaAndMia = (scene: Scene) => calculate(scene, scene.ada, scene.mia);
const dealChanges = (scene: Scene) => put(scene, { amount: 90_000, ownerEmail: 'ben@x.io', closeDate: '2026-03-10' });
const dealGoesToAda = (scene: Scene) => put(scene, { amount: 60_000, ownerEmail: 'ada@x.io', closeDate: '2026-03-10' });
const dealMovesToApril = (scene: Scene) =>
  put(scene, { amount: 60_000, ownerEmail: 'ben@x.io', closeDate: '2026-04-02' });
const dealIsDeleted = ({ workspace }: Scene): Action => {
  return (session) => session.run(workspace, deleteDeal, { params: { dealId: 'D1' } });
};
const benIsApproved = (scene: Scene) => setStatus(scene, 'approved');
const benIsUnlocked = (scene: Scene) => setStatus(scene, 'draft');
const benIsGenerated = ({ workspace, ben }: Scene): Action => {
  return (session) => session.run(workspace, generateStatement, { params: { repId: ben }, body: { period: march } });
};
const benIsAdjusted = ({ workspace, ben }: Scene): Action => {
  const body = { amount: 250, reason: 'spiff', period: march };
  return (session) => session.run(workspace, addAdjustment, { params: { repId: ben }, body });
};
const adjustmentIsDeleted = ({ workspace, ben, adjustmentId }: Scene): Action => {
  const params = { repId: ben, eventId: adjustmentId };
  return (session) => session.run(workspace, deleteAdjustment, { params });
};
const benIsTruedUp = ({ workspace, ben }: Scene): Action => {
  const body = { period: march, force: true };
  return (session) => session.run(workspace, trueUpStatement, { params: { repId: ben }, body });
};
const everythingIsReset = ({ workspace }: Scene): Action => {
  return (session) => session.run(workspace, resetCommissions, { body: { scope: 'events' } });
};
const quotaIsRaised = ({ workspace, ben }: Scene): Action => {
  const body = { repIds: [ben], measure: 'New business', period: '2026-Q1', target: 150_000 };
  return (session) => session.run(workspace, setQuotas, { body });
};
const planIsChanged = ({ workspace, planId }: Scene): Action => {
  const body = { config: { rules: [seller(0.1), override] } };
  return (session) => session.run(workspace, updatePlan, { params: { planRef: planId }, body });
};
const benLeavesMia = ({ workspace, ben }: Scene): Action => {
  return (session) => session.run(workspace, updateRep, { params: { repId: ben }, body: { managerId: null } });
};

const pairs: readonly Pair[] = [
  {
    name: 'approving and a requested calculation',
    given: [dealChanges],
    first: benIsApproved,
    second: calculateBen,
  },
  { name: 'approving and a change of the deal', first: benIsApproved, second: dealChanges },
  { name: 'approving and the deletion of the deal', first: benIsApproved, second: dealIsDeleted },
  { name: 'approving and a change of owner', first: benIsApproved, second: dealGoesToAda },
  { name: 'approving and a deal that moves to another month', first: benIsApproved, second: dealMovesToApril },
  { name: 'approving and an adjustment', first: benIsApproved, second: benIsAdjusted },
  { name: 'approving and the deletion of an adjustment', first: benIsApproved, second: adjustmentIsDeleted },
  { name: 'approving and a reset', first: benIsApproved, second: everythingIsReset },
  { name: 'approving and generating', first: benIsApproved, second: benIsGenerated },
  { name: 'approving twice', first: benIsApproved, second: benIsApproved },
  {
    name: 'unlocking and a calculation of blocked changes',
    given: [benIsApproved, dealChanges],
    first: benIsUnlocked,
    second: calculateBen,
  },
  { name: 'two true-ups', given: [benIsApproved, dealChanges], first: benIsTruedUp, second: benIsTruedUp },
  {
    name: 'a true-up and unlocking',
    given: [benIsApproved, dealChanges],
    first: benIsTruedUp,
    second: benIsUnlocked,
  },
  { name: 'two workers on one rep', given: [dealChanges], first: calculateBen, second: calculateBen },
  { name: 'a calculation and a change of the deal', given: [dealChanges], first: calculateBen, second: dealIsDeleted },
  { name: 'a calculation and a change of owner', given: [dealChanges], first: calculateBen, second: dealGoesToAda },
  { name: 'a calculation and a reset', given: [dealChanges], first: calculateBen, second: everythingIsReset },
  { name: 'a calculation and a quota', given: [dealChanges], first: calculateBen, second: quotaIsRaised },
  {
    name: 'a calculation and a new version of the plan',
    given: [dealChanges],
    first: calculateBen,
    second: planIsChanged,
  },
  { name: 'a calculation and a change of manager', given: [dealChanges], first: calculateBen, second: benLeavesMia },
  {
    name: "a seller's calculation and the manager's",
    given: [dealChanges, calculateBen, dealMovesToApril],
    first: calculateBen,
    second: (scene) => calculate(scene, scene.mia),
  },
  {
    name: 'two batches that share a rep',
    given: [dealGoesToAda],
    first: calculateBenAndAda,
    second: calculateAdaAndMia,
  },
  { name: 'a batch and approving', given: [dealGoesToAda], first: calculateBenAndAda, second: benIsApproved },
  { name: 'a batch and a change of the deal', given: [dealGoesToAda], first: calculateBenAndAda, second: dealChanges },
  { name: 'a batch and a reset', given: [dealGoesToAda], first: calculateBenAndAda, second: everythingIsReset },
  { name: 'a batch and a quota', given: [dealGoesToAda], first: calculateBenAndAda, second: quotaIsRaised },
  { name: 'two changes of owner', first: dealGoesToAda, second: dealMovesToApril },
  { name: 'a change of the deal and its deletion', first: dealChanges, second: dealIsDeleted },
  { name: 'two generations', first: benIsGenerated, second: benIsGenerated },
];

type Server = 'PostgreSQL 18' | "Debian's PostgreSQL 15";

/** Runs each pair in its serial orders, then in this many other orders of its statements; INTERLEAVINGS sets another number. */
export function describeInterleavings(server: Server, schedulesOfPair: number): void {
  const count = Number(process.env['INTERLEAVINGS'] ?? schedulesOfPair);

  describe(`interleavings on ${server}`, function () {
    this.timeout(240_000 + count * 8000);
    let debian: DebianPostgres | undefined;
    let db: OfflineDatabase;
    let admin: pg.Client;
    let sessions: [Session, Session];
    /** The scene of which every pair gets copies. */
    let original: Scene;
    let copyOriginal: () => Promise<string>;

    before(async function () {
      if (server === 'PostgreSQL 18') db = await OfflineDatabase.create();
      else {
        debian = await startDebianPostgres15();
        if (debian === undefined) {
          if (process.env['CI'])
            throw new Error("Debian's PostgreSQL 15 is not installed (apt-get install postgresql-15)");
          this.skip();
        }
        db = await OfflineDatabase.create(migratedDatabase(debian));
      }
      admin = new pg.Client({ connectionString: db.ownerUrl });
      await admin.connect();
      sessions = [await Session.open(db), await Session.open(db)];
      original = await firstScene(db);
      copyOriginal = await copierOf(db.ownerUrl, original.workspace.workspaceId);
    });

    after(async () => {
      for (const session of sessions ?? []) await session.close();
      await admin?.end();
      await db?.close();
      await debian?.stop();
    });

    for (const pair of pairs) {
      it(`${pair.name} give the result of a serial order`, async () => {
        const stage = await stageOf(pair);
        const serial = [await serially(pair, stage, [0, 1]), await serially(pair, stage, [1, 0])] as const;
        const allowed = serial.map(({ end }) => end);
        const [first, second] = serial[0].steps;
        for (const schedule of schedules(first, second, count)) {
          const end = await interleaved(pair, stage, schedule);
          expect(allowed, `order ${schedule.join('')}`).to.deep.include(end);
        }
      });
    }

    /** The scene in a workspace with the same rows. */
    const copyIn = (workspaceId: string): Scene => ({ ...original, workspace: new OfflineWorkspace(db, workspaceId) });

    /** Returns scenes in which the given actions have run. */
    async function stageOf({ given = [] }: Pair): Promise<Stage> {
      if (given.length === 0) return async () => copyIn(await copyOriginal());
      const first = copyIn(await copyOriginal());
      for (const action of given) expect(await outcomeOf(action(first)(sessions[0]))).to.equal('done');
      const copy = await copierOf(db.ownerUrl, first.workspace.workspaceId);
      return async () => copyIn(await copy());
    }

    async function serially(
      pair: Pair,
      stage: Stage,
      order: readonly [0 | 1, 0 | 1],
    ): Promise<{ end: End; steps: [number, number] }> {
      const scene = await stage();
      const actions = [pair.first(scene), pair.second(scene)] as const;
      const outcomes: [Outcome, Outcome] = ['', ''];
      const steps: [number, number] = [0, 0];
      for (const which of order) {
        const nothing: Action = async () => undefined;
        const both = which === 0 ? ([actions[0], nothing] as const) : ([nothing, actions[1]] as const);
        outcomes[which] = (await interleave(admin, sessions, both, [which]))[which];
        steps[which] = sessions[which].proxy.steps;
      }
      return { end: await endOf(scene, outcomes), steps };
    }

    async function interleaved(pair: Pair, stage: Stage, schedule: Schedule): Promise<End> {
      const scene = await stage();
      const outcomes = await interleave(admin, sessions, [pair.first(scene), pair.second(scene)], schedule);
      return endOf(scene, outcomes);
    }

    /** Calculates what is pending, checks the ledger, and returns the visible state. */
    async function endOf({ workspace }: Scene, outcomes: readonly [Outcome, Outcome]): Promise<End> {
      const { workspaceId } = workspace;
      await workspace.calculateAll();
      await expectSoundLedger(db.ownerUrl, workspaceId);
      await expectApprovedTotals(db.ownerUrl, workspaceId);
      return {
        outcomes,
        ledger: await ledgerRows(db.ownerUrl, workspaceId),
        statements: await statementRows(db.ownerUrl, workspaceId),
      };
    }
  });
}

interface End {
  readonly outcomes: readonly [Outcome, Outcome];
  readonly ledger: readonly string[];
  readonly statements: readonly object[];
}

const seller = (rate: number) => ({
  name: 'New business',
  measure: 'amount',
  attainmentPeriod: 'quarterly',
  tierMode: 'marginal',
  tiers: [
    { tierIndex: 0, minThreshold: 0, rate },
    { tierIndex: 1, minThreshold: 0.5, rate: 0.12 },
  ],
});
const override = {
  name: 'Team',
  measure: 'amount',
  executionPhase: 'cascade',
  dependsOn: 'New business',
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.01 }],
};

async function firstScene(db: OfflineDatabase): Promise<Scene> {
  const workspace = await OfflineWorkspace.in(db);
  const people = [
    { email: 'mia@x.io', name: 'Mia', role: 'manager' },
    { email: 'ben@x.io', name: 'Ben', managerEmail: 'mia@x.io' },
    { email: 'ada@x.io', name: 'Ada' },
  ];
  const { reps } = await workspace.run(upsertReps, { body: { reps: people } });
  const [mia, ben, ada] = reps.map((rep: { id: string }) => rep.id);
  const { planId } = await workspace.addPlan('AE', [seller(0.08), override]);
  await workspace.run(createAssignments, { body: { repIds: [mia, ben, ada], planId } });
  const quota = { repIds: [ben], measure: 'New business', period: '2026-Q1', target: 100_000 };
  await workspace.run(setQuotas, { body: quota });
  for (const [dealId, closeDate] of [
    ['D0', '2026-03-05'],
    ['D1', '2026-03-10'],
    ['D2', '2026-03-20'],
  ] as const) {
    const body = { amount: 40_000, closeDate, ownerEmail: 'ben@x.io' };
    await workspace.run(putDeal, { params: { dealId }, body });
  }
  await workspace.calculateAll();
  const { eventId: adjustmentId } = await workspace.run(addAdjustment, {
    params: { repId: ben },
    body: { amount: 100, reason: 'start', period: march },
  });
  await workspace.run(generateStatement, { params: { repId: ben }, body: { period: march } });
  return { workspace, ben, ada, mia, planId, adjustmentId };
}

function put({ workspace }: Scene, body: object): Action {
  return (session) => session.run(workspace, putDeal, { params: { dealId: 'D1' }, body });
}

function calculate({ workspace }: Scene, ...repIds: readonly string[]): Action {
  return (session) => session.calculate(workspace.workspaceId, ...repIds);
}

function setStatus({ workspace, ben }: Scene, status: 'approved' | 'draft'): Action {
  return (session) =>
    session.run(workspace, approveStatement, { params: { repId: ben }, body: { period: march, status } });
}

async function statementRows(ownerUrl: string, workspaceId: string): Promise<object[]> {
  return query(
    ownerUrl,
    `select r.email, p.period, p.status as head, p.approved_version, trim_scale(p.approved_total)::text as approved_total,
       s.version, s.status, s.summary
     from statement_periods p
     join reps r on r.workspace_id = p.workspace_id and r.rep_id = p.rep_id
     join statements s on s.workspace_id = p.workspace_id and s.rep_id = p.rep_id and s.period = p.period
     where p.workspace_id = $1 order by 1, 2, s.version`,
    [workspaceId],
  );
}

/** The approved total equals the ledger while a period is approved. */
async function expectApprovedTotals(ownerUrl: string, workspaceId: string): Promise<void> {
  const wrong = await query(
    ownerUrl,
    `select p.rep_id, p.period, p.approved_total, coalesce(sum(e.amount), 0) as ledger
     from statement_periods p
     left join commission_events e on e.workspace_id = p.workspace_id and e.rep_id = p.rep_id and e.status = 'earned'
       and e.earned_on between p.from_day and p.to_day and e.currency = p.currency
     where p.workspace_id = $1 and p.status = 'approved'
     group by p.workspace_id, p.rep_id, p.period
     having p.approved_total <> coalesce(sum(e.amount), 0)`,
    [workspaceId],
  );
  expect(wrong, 'approved totals').to.deep.equal([]);
}

async function migratedDatabase(debian: DebianPostgres) {
  const { ownerUrl, appUrl } = await ownedDatabase(debian.superuserUrl);
  await query(debian.superuserUrl, 'grant set on parameter session_replication_role to commissions_owner');
  await migrateToLatest(ownerUrl, migrations);
  return { ownerUrl: readingAllWorkspaces(ownerUrl), appUrl, drop: async () => {} };
}
