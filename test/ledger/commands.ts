import fc from 'fast-check';
import type { WorldFiscalYear } from '#test/support/oracle/fiscal.js';
import type { PlanStatus, World, WorldCredit, WorldCreditRule, WorldRamp } from '#test/support/oracle/world.js';
import { arbitraryWorld, creditLines, creditRule, fiscalYears, ramp, relief } from '#test/support/oracle/worlds.js';
import {
  type AbsenceTerms,
  type DealContent,
  type LiveWorld,
  type PatchPlan,
  type Pay,
  type ReportedDeal,
} from './live-world.js';

/** A step of a history. Numbers select objects by position modulo their count, so every command fits every world. */
export type Command =
  | { readonly does: 'nothing' }
  | { readonly does: 'put'; readonly deal: Sent }
  | { readonly does: 'put together'; readonly deals: readonly Sent[] }
  | { readonly does: 'import'; readonly deals: readonly Sent[] }
  | { readonly does: 'correct'; readonly deal: number; readonly amount: number }
  | { readonly does: 'give to'; readonly deal: number; readonly rep: number | null; readonly by: ReportedDeal['by'] }
  | { readonly does: 'close on'; readonly deal: number; readonly day: string }
  | { readonly does: 'reopen'; readonly deal: number; readonly how: 'stage' | 'date' }
  | { readonly does: 'delete deal'; readonly deal: number; readonly hard: boolean }
  | {
      readonly does: 'set quota';
      readonly plan: number;
      readonly rule: number;
      readonly day: string;
      readonly reps: readonly number[];
      readonly target: number;
      readonly variableTarget: number | null;
      readonly prorate: boolean;
    }
  | { readonly does: 'delete quota'; readonly which: number }
  | {
      readonly does: 'assign';
      readonly reps: readonly number[];
      readonly plan: number;
      readonly start: string | null;
      readonly end: string | null;
      readonly ramp: WorldRamp | null;
    }
  | {
      readonly does: 'move assignment';
      readonly which: number;
      readonly start?: string | null;
      readonly end?: string | null;
    }
  | {
      readonly does: 'patch plan';
      readonly plan: number;
      /** Undefined: the planId, otherwise the id of one of its versions. */
      readonly source: number | undefined;
      readonly patch: PatchPlan;
    }
  | { readonly does: 'plan status'; readonly plan: number; readonly status: PlanStatus }
  | { readonly does: 'version status'; readonly which: number; readonly status: PlanStatus }
  | {
      readonly does: 'override';
      readonly plan: number;
      readonly rep: number;
      readonly which: number;
      readonly pay: Pay;
    }
  | { readonly does: 'delete override'; readonly which: number }
  | {
      readonly does: 'change manager';
      readonly rep: number;
      readonly manager: number | null;
      readonly from: string | null;
    }
  | {
      readonly does: 'employ';
      readonly rep: number;
      readonly hireDate?: string | null;
      readonly endDate?: string | null;
    }
  | { readonly does: 'enter absence'; readonly rep: number; readonly terms: AbsenceTerms }
  | { readonly does: 'change absence'; readonly which: number; readonly change: Partial<AbsenceTerms> }
  | { readonly does: 'delete absence'; readonly which: number }
  | { readonly does: 'set ramp'; readonly which: number; readonly ramp: WorldRamp | null }
  | { readonly does: 'change ramp'; readonly which: number; readonly steps: WorldRamp['steps'] }
  | { readonly does: 'set minimum'; readonly percent: number }
  | { readonly does: 'generate' | 'approve'; readonly rep: number; readonly period: string }
  | { readonly does: 'unlock' | 'true up'; readonly which: number }
  | { readonly does: 'approve all'; readonly period: string }
  | { readonly does: 'true up all'; readonly inReverse: boolean }
  | { readonly does: 'adjust'; readonly rep: number; readonly period: string; readonly amount: number }
  | { readonly does: 'set fiscal years'; readonly years: readonly WorldFiscalYear[] }
  | { readonly does: 'credit'; readonly deal: number; readonly lines: readonly WorldCredit[] }
  | { readonly does: 'create credit rule'; readonly rule: WorldCreditRule }
  | { readonly does: 'delete credit rule'; readonly which: number }
  | { readonly does: 'reset' }
  | {
      readonly does: 'recalculate';
      readonly scope: 'deal' | 'rep' | 'plan' | 'workspace';
      readonly which: number;
      readonly async: boolean;
    };

interface Sent {
  readonly deal: number;
  readonly content: DealContent;
  readonly rep: number | null;
  readonly by: ReportedDeal['by'];
  readonly at: string | null;
}

export interface Run {
  readonly world: World;
  readonly commands: readonly Command[];
}

const dealCount = 12;

export async function execute(live: LiveWorld, command: Command): Promise<void> {
  switch (command.does) {
    case 'nothing':
      return;
    case 'put':
      return live.putDeal(reportedOf(command.deal));
    case 'put together':
      return live.putTogether(command.deals.map(reportedOf));
    case 'import':
      return live.importDeals(command.deals.map(reportedOf));
    case 'correct':
      return resend(live, command.deal, (deal) => ({ ...deal, content: withAmount(deal.content, command.amount) }));
    case 'give to':
      return resend(live, command.deal, (deal) => ({ ...deal, rep: command.rep, by: command.by }));
    case 'close on':
      return resend(live, command.deal, (deal) => ({ ...deal, content: { ...deal.content, closeDate: command.day } }));
    case 'reopen':
      return resend(live, command.deal, (deal) => ({ ...deal, content: reopened(deal.content, command.how) }));
    case 'delete deal':
      return live.deleteDeal(dealIdOf(command.deal), command.hard);
    case 'set quota':
      return live.setQuotaOn(command.plan, command.rule, command.day, command.reps, command);
    case 'delete quota':
      return live.deleteQuota(command.which);
    case 'assign':
      return live.assign(command.reps, command.plan, command.start, command.end, command.ramp);
    case 'move assignment':
      return live.moveAssignment(command.which, {
        ...(command.start === undefined ? {} : { effectiveStart: command.start }),
        ...(command.end === undefined ? {} : { effectiveEnd: command.end }),
      });
    case 'patch plan':
      return live.patchPlan(command.plan, command.source ?? null, command.patch);
    case 'plan status':
      return live.setPlanStatus(command.plan, command.status);
    case 'version status':
      return live.setVersionStatus(command.which, command.status);
    case 'override':
      return live.override(command.plan, command.rep, command.which, command.pay);
    case 'delete override':
      return live.deleteOverride(command.which);
    case 'change manager':
      return live.changeManager(command.rep, command.manager, command.from);
    case 'employ': {
      const { does: _, rep, ...employment } = command;
      return live.employ(rep, employment);
    }
    case 'enter absence':
      await live.enterAbsence(command.rep, command.terms);
      return;
    case 'change absence':
      return live.changeAbsence(command.which, command.change);
    case 'delete absence':
      return live.deleteAbsence(command.which);
    case 'set ramp':
      return live.setRamp(command.which, command.ramp);
    case 'change ramp':
      return live.changeRamp(command.which, command.steps);
    case 'set minimum':
      return live.setMinimum(command.percent);
    case 'generate':
      return live.generate(command.rep, command.period);
    case 'approve':
      return live.approve(command.rep, command.period);
    case 'unlock':
      return live.unlock(command.which);
    case 'true up':
      return live.trueUp(command.which);
    case 'approve all':
      return live.approveAll(command.period);
    case 'true up all':
      return live.trueUpAll(command.inReverse);
    case 'adjust':
      return live.adjust(command.rep, command.period, command.amount);
    case 'set fiscal years':
      return live.setFiscalYears(command.years);
    case 'credit':
      return live.setCreditsOf(dealIdOf(command.deal), command.lines);
    case 'create credit rule':
      return live.createCreditRule(command.rule);
    case 'delete credit rule':
      return live.deleteCreditRule(command.which);
    case 'reset':
      return live.reset();
    case 'recalculate':
      return live.recalculate(command.scope, command.which, command.async);
  }
}

function dealIdOf(deal: number): string {
  return `d${(deal % dealCount) + 1}`;
}

function reportedOf({ deal, ...rest }: Sent): ReportedDeal {
  return { dealId: dealIdOf(deal), ...rest };
}

/** Sends a stored deal again with the change. */
async function resend(live: LiveWorld, deal: number, change: (deal: ReportedDeal) => ReportedDeal): Promise<void> {
  const reported = live.reported(dealIdOf(deal));
  if (reported !== undefined) await live.putDeal(change({ ...reported, at: null }));
}

function withAmount({ given, ...content }: DealContent, amount: number): DealContent {
  const named = given?.dealAmount === undefined ? given : { ...given, dealAmount: amount };
  return {
    ...content,
    fields: { ...content.fields, amount, acv: amount },
    ...(named === undefined ? {} : { given: named }),
  };
}

function reopened({ given, ...content }: DealContent, how: 'stage' | 'date'): DealContent {
  if (how === 'date') return { ...content, ...(given === undefined ? {} : { given }), closeDate: null };
  const fields = Object.fromEntries(
    Object.entries(content.fields).map(([slug, value]) => [slug, slug.endsWith('stage') ? 'Open' : value]),
  );
  return { ...content, fields, given: { ...given, dealStage: 'Open' } };
}

// Generators

const days = [
  '2025-12-31',
  '2026-01-15',
  '2026-02-10',
  '2026-02-28',
  '2026-03-31',
  '2026-04-01',
  '2026-05-20',
  '2026-07-01',
];
const starts = [null, '2026-01-01', '2026-02-01', '2026-02-10', '2026-02-15', '2026-03-01', '2026-05-10'];
const ends = [null, null, null, '2026-02-14', '2026-02-28', '2026-03-31', '2026-06-30'];
const instants = ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', '2026-03-02T01:00:00+01:00', '2026-03-03T12:00:00Z'];

const number = fc.nat({ max: 59 });
/** The reps of a world. */
const positions = ['0', '1', '2', '3'];
const someDay = fc.constantFrom(...days);
const start = fc.constantFrom(...starts);
const end = fc.constantFrom(...ends);
const owner = {
  rep: fc.option(fc.nat({ max: 3 }), { freq: 12 }),
  by: fc.constantFrom<ReportedDeal['by']>('repId', 'ownerId'),
};

function does<Does extends Command['does']>(
  name: Does,
  parts: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Command> {
  return fc.record({ does: fc.constant(name), ...parts }) as unknown as fc.Arbitrary<Command>;
}

function commandOn(contents: readonly DealContent[]): fc.Arbitrary<Command> {
  const sent = fc.record({
    deal: number,
    content: fc.constantFrom(...contents),
    ...owner,
    at: fc.option(fc.constantFrom(...instants), { freq: 1 }),
  });
  const several = fc.array(sent, { minLength: 2, maxLength: 6 });
  const pay: fc.Arbitrary<Pay> = fc.oneof(
    fc.record({ rate: fc.constantFrom(0, 0.02, 0.0775, 0.2) }),
    fc.record({ flatAmount: fc.constantFrom(0, 75, 333.33) }),
  );
  const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(value, { nil: undefined, freq: 1 });
  const status = fc.constantFrom<PlanStatus>('active', 'active', 'active', 'archived', 'draft', 'deleted');
  const source = optional(number);
  const patch = fc.record({
    config: optional(number),
    start: optional(fc.constantFrom(...starts, '2027-01-01')),
    end: optional(end),
    status: fc.option(fc.constantFrom<PlanStatus>('active', 'active', 'archived', 'draft'), {
      nil: undefined,
      freq: 1,
    }),
  });
  const neverActive = fc.record({
    config: optional(number),
    start,
    status: fc.constantFrom<PlanStatus>('draft', 'archived'),
  });
  const reps = fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 });
  const amounts = fc.constantFrom(-750, 0, 0.5, 1234.565, 3333.33, 20_000);
  const ofDeals: fc.Arbitrary<Command>[] = [
    does('put', { deal: sent }),
    does('put together', { deals: several }),
    does('import', { deals: several }),
    does('correct', { deal: number, amount: amounts }),
    does('correct', { deal: number, amount: amounts }),
    does('give to', { deal: number, ...owner }),
    does('close on', { deal: number, day: someDay }),
    does('reopen', { deal: number, how: fc.constantFrom('stage', 'date') }),
    does('delete deal', { deal: number, hard: fc.boolean() }),
  ];
  const ofTerms: fc.Arbitrary<Command>[] = [
    does('set quota', {
      plan: number,
      rule: number,
      day: someDay,
      reps,
      target: fc.constantFrom(0, 50, 1000, 3333.33, 5000),
      variableTarget: fc.constantFrom(null, 0, 750.5, 2000),
      prorate: fc.constantFrom(true, true, true, false),
    }),
    does('delete quota', { which: number }),
    does('set fiscal years', { years: fiscalYears.filter(({ length }) => length > 0) }),
    does('assign', { reps, plan: number, start, end, ramp: fc.option(ramp, { freq: 1 }) }),
    does('move assignment', { which: number, start }),
    does('move assignment', { which: number, end }),
    does('patch plan', { plan: number, source, patch }),
    does('patch plan', { plan: number, source, patch }),
    does('patch plan', { plan: number, source, patch: neverActive }),
    does('patch plan', { plan: number, source: fc.constant(undefined), patch: fc.record({ end }) }),
    does('plan status', { plan: number, status }),
    does('version status', { which: number, status }),
    does('override', { plan: number, rep: number, which: number, pay }),
    does('delete override', { which: number }),
    does('change manager', {
      rep: fc.integer({ min: 1, max: 3 }),
      manager: fc.option(number, { freq: 5 }),
      from: start,
    }),
    does('recalculate', {
      scope: fc.constantFrom('deal', 'rep', 'plan', 'workspace'),
      which: number,
      async: fc.boolean(),
    }),
  ];
  const to = fc.constantFrom('2026-02-05', '2026-03-01', '2026-03-11', '2026-05-31');
  const absence = fc.record({
    from: fc.constantFrom('2026-01-10', '2026-02-06', '2026-02-10', '2026-04-01'),
    to,
    quotaRelief: relief,
    variableRelief: relief,
  });
  const ofPeople: fc.Arbitrary<Command>[] = [
    does('employ', { rep: number, hireDate: fc.constantFrom(null, '2025-12-15', '2026-01-20', '2026-02-10') }),
    does('employ', { rep: number, endDate: fc.constantFrom(null, null, '2026-03-15', '2026-05-20') }),
    does('enter absence', { rep: number, terms: absence }),
    does('enter absence', { rep: number, terms: absence }),
    does('change absence', { which: number, change: fc.record({ to }) }),
    does('change absence', { which: number, change: fc.record({ quotaRelief: fc.constantFrom(0, 50, 100) }) }),
    does('delete absence', { which: number }),
    does('set ramp', { which: number, ramp: fc.option(ramp, { freq: 3 }) }),
    does('change ramp', { which: number, steps: ramp.map(({ steps }) => steps) }),
    does('set minimum', { percent: fc.constantFrom(1, 25, 40, 100) }),
  ];
  const ofCredits: fc.Arbitrary<Command>[] = [
    does('credit', { deal: number, lines: creditLines(positions, 'api') }),
    does('credit', { deal: number, lines: creditLines(positions, 'api') }),
    does('credit', { deal: number, lines: fc.constant([]) }),
    does('create credit rule', { rule: creditRule() }),
    does('delete credit rule', { which: number }),
  ];
  const someMonth = fc.constantFrom('2026-01', '2026-02', '2026-03', '2026-05');
  const someStatement = fc.oneof(
    someMonth,
    fc.constantFrom('2026-Q1', '2026', 'FY2026-P01', 'FY2026-P02', 'FY2026-Q1'),
  );
  const ofStatements: fc.Arbitrary<Command>[] = [
    does('generate', { rep: number, period: someStatement }),
    does('approve', { rep: number, period: someStatement }),
    does('approve', { rep: number, period: someMonth }),
    does('approve all', { period: someMonth }),
    does('unlock', { which: number }),
    does('true up', { which: number }),
    does('true up all', { inReverse: fc.boolean() }),
    does('adjust', { rep: number, period: someMonth, amount: fc.constantFrom(-120, 40, 999) }),
    does('reset', {}),
  ];
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant<Command>({ does: 'nothing' }), weight: 1 },
    { arbitrary: fc.oneof(...ofDeals), weight: 11 },
    { arbitrary: fc.oneof(...ofTerms), weight: 9 },
    { arbitrary: fc.oneof(...ofPeople), weight: 5 },
    { arbitrary: fc.oneof(...ofCredits), weight: 5 },
    { arbitrary: fc.oneof(...ofStatements), weight: process.env['NO_STATEMENTS'] ? 0 : 5 },
  );
}

/** Every rep except the first has a manager, so that most deals have two or more levels above them. */
function withHierarchy(world: World): World {
  const reps = world.reps.map((rep, index) => {
    const managerId = world.reps[index === 1 ? 0 : 1]?.repId as string;
    return index === 0 || rep.lines.length > 0 ? rep : { ...rep, lines: [{ managerId, from: null, to: null }] };
  });
  return { ...world, reps };
}

/** The design does not define a mapped standard value that cannot be read, so histories contain none. */
export function readable({ fields, ...content }: DealContent, { standard }: World['workspace']): DealContent {
  const { dealAmount, createdDate } = standard;
  const entries = Object.entries(fields)
    .filter(
      ([slug, value]) =>
        slug !== dealAmount ||
        ((typeof value === 'number' || (typeof value === 'string' && /^-?[\d.]+$/.test(value))) &&
          Math.abs(Number(value)) < 1e15),
    )
    .map(([slug, value]) => [slug, slug === createdDate && value === 'soon' ? '2026-01-10' : value]);
  return { ...content, fields: Object.fromEntries(entries) };
}

export function arbitraryRun(): fc.Arbitrary<Run> {
  const size = {
    reps: 4,
    versions: 3,
    rules: 4,
    quotas: 24,
    deals: dealCount,
    frozen: false,
    unbounded: false,
    people: true,
    credits: true,
    fiscal: true,
  };
  const worlds = fc.oneof(arbitraryWorld({ ...size, plans: 2 }), arbitraryWorld({ ...size, plans: 3 }));
  const more = arbitraryWorld({
    reps: 2,
    plans: 1,
    versions: 1,
    rules: 1,
    quotas: 2,
    deals: dealCount,
    frozen: false,
    unbounded: false,
    people: false,
    credits: true,
    fiscal: true,
  });
  const run = fc
    .tuple(
      worlds.filter(({ reps, fiscalYears = [] }) => reps.length === 4 && fiscalYears.length > 0).map(withHierarchy),
      more,
    )
    .map(([world, { deals }]) => {
      const contents = deals.map(({ dealId: _, repId: __, ...content }) => readable(content, world.workspace));
      return {
        world: { ...world, deals: world.deals.map((deal) => ({ ...deal, ...readable(deal, world.workspace) })) },
        contents,
      };
    })
    .chain(({ world, contents }) =>
      fc.record({
        world: fc.constant(world),
        commands: fc.array(commandOn(contents), { minLength: 10, maxLength: 15 }),
      }),
    );
  return fc.noBias(run);
}
