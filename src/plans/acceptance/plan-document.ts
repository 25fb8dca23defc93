import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { groupBy } from '../../kernel/group-by.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

const day = (what: string) => z.string().nullable().describe(`${what}, YYYY-MM-DD; null for none`);

/** What a person accepts: the plan as it is executed, their own terms, and worked amounts. */
export const planDocument = z
  .object({
    plan: z
      .object({
        name: z.string().describe('Name of the plan'),
        currency: z.string().nullable().describe('Currency, ISO 4217 code; null for that of the workspace'),
        from: day('First day of the version'),
        to: day('Last day of the version'),
        config: z
          .record(z.string(), z.unknown().describe('A field of the configuration'))
          .describe('The configuration as it is executed'),
        configurationSha256: z.string().describe('SHA-256 of everything that is executed, in hexadecimal'),
      })
      .describe('The plan'),
    terms: z
      .object({
        assignments: z
          .array(
            z
              .object({
                from: day('First day on the plan'),
                to: day('Last day on the plan'),
                ramp: z.unknown().describe('The steps of the ramp; null without one'),
                rampFrom: z
                  .string()
                  .optional()
                  .describe('First day of the ramp, YYYY-MM-DD; absent if it begins with the days on the plan'),
              })
              .describe('Days on the plan'),
          )
          .describe('When the person is on the plan'),
        quotas: z
          .array(
            z
              .object({
                measure: fields.measure,
                period: fields.period,
                target: z.string().describe('What counts as 100 %, exact decimal text'),
                variableTarget: z
                  .string()
                  .nullable()
                  .describe('Variable pay at 100 %, exact decimal text; null for none'),
              })
              .describe('A quota'),
          )
          .describe('The quotas on the plan'),
        overrides: z
          .array(
            z
              .object({
                ruleName: fields.ruleName,
                tiers: z.array(z.unknown().describe('A tier')).describe('The tiers with other terms'),
              })
              .describe('A rule with other terms'),
          )
          .describe('Rates that differ from the plan'),
        draws: z
          .array(
            z
              .object({
                kind: z.string().describe('guarantee or advance'),
                recoverable: z.boolean().describe('Whether later pay takes it back'),
                amount: z.string().describe('Amount of a pay period, exact decimal text'),
                currency: fields.currency,
                from: z.string().describe('First day, YYYY-MM-DD'),
                to: day('Last day'),
                recovery: z
                  .object({
                    start: z
                      .enum(['next_period', 'after_end', 'day'])
                      .describe('From the next pay period, the end or a day on'),
                    day: day('Day from which it is paid back'),
                    maxPercent: z.number().describe('Limit, as a percentage of what a statement releases'),
                    forgiveOn: day('Day on which what is still open is forgiven'),
                  })
                  .optional()
                  .describe('How it is paid back; absent if from the next pay period on and without a limit'),
              })
              .describe('A draw'),
          )
          .describe('Draws and guarantees'),
      })
      .describe('The terms of the person'),
    workedAmounts: z
      .array(
        z
          .object({
            name: z.string().describe('Name of the example'),
            deals: z.array(z.unknown().describe('A deal')).describe('The deals of the example'),
            expected: z.array(z.unknown().describe('What a rule pays')).describe('What each rule pays for them'),
            total: z.number().nullable().describe('What the plan pays in all; null where it is not stated'),
          })
          .describe('An example from the tests of the plan, which the service executes'),
      )
      .describe('Worked amounts'),
  })
  .describe('The document that a person accepts');
export type PlanDocument = z.input<typeof planDocument>;

export interface RepDocument {
  readonly repId: string;
  readonly repName: string;
  readonly document: PlanDocument;
  readonly sha256: string;
}

/** The SHA-256 of the canonical JSON of the document, in hexadecimal. */
export function hashDocument(document: PlanDocument): string {
  return documentHasher(document)(document.terms);
}

/**
 * Hashes documents that differ in the terms of a person. What they share is serialized once, and people with equal terms
 * share the hash.
 */
function documentHasher({ plan, workedAmounts }: Omit<PlanDocument, 'terms'>) {
  const begun = createHash('sha256').update(`{"plan":${canonicalJson(plan)},"terms":`);
  const end = `,"workedAmounts":${canonicalJson(workedAmounts)}}`;
  const hashes = new Map<string, string>();
  return (terms: PlanDocument['terms']): string =>
    getOrInsert(hashes, JSON.stringify(terms), () =>
      begun
        .copy()
        .update(canonicalJson(terms) + end)
        .digest('hex'),
    );
}

interface VersionRow extends Omit<PlanDocument['plan'], 'config'> {
  readonly config: Record<string, unknown>;
  readonly planId: string;
  readonly tests: readonly {
    readonly name: string;
    readonly deals: unknown[];
    readonly expected: unknown[];
    readonly total?: number;
  }[];
}

/** The documents of the version for the people on its plan, or for those of `repIds`, by name. */
export async function loadDocuments(
  tx: Transaction,
  planVersionId: string,
  repIds: readonly string[] | null,
): Promise<RepDocument[]> {
  const { rows } = await sql<VersionRow>`
    select p.name, v.plan_id as "planId", v.currency, v.effective_start as "from", v.effective_end as "to", v.config,
      v.tests, plan_configuration_sha256(v) as "configurationSha256"
    from plan_versions v join plans p on p.workspace_id = v.workspace_id and p.plan_id = v.plan_id
    where v.workspace_id = ${tx.workspaceId} and v.plan_version_id = ${planVersionId}`.execute(tx.db);
  const [version] = rows;
  if (version === undefined) return [];
  const { planId, tests, ...plan } = version;
  const workedAmounts = tests.map(({ name, deals, expected, total }) => ({
    name,
    deals,
    expected,
    total: total ?? null,
  }));
  const people = await loadTerms(tx, { planId, planVersionId }, repIds);
  const hash = documentHasher({ plan, workedAmounts });
  return mapInSlices(people, ({ repId, repName, terms }) => ({
    repId,
    repName,
    document: { plan, terms, workedAmounts },
    sha256: hash(terms),
  }));
}

interface PersonTerms {
  readonly repId: string;
  readonly repName: string;
  readonly terms: PlanDocument['terms'];
}

type Draw = PlanDocument['terms']['draws'][number];

type OfRep<Term> = Term & { readonly repId: string };

async function loadTerms(
  tx: Transaction,
  { planId, planVersionId }: { readonly planId: string; readonly planVersionId: string },
  repIds: readonly string[] | null,
): Promise<PersonTerms[]> {
  const ofReps = repIds === null ? sql`` : sql`and x.rep_id = any(${repIds}::uuid[])`;
  const assignments = await sql<
    OfRep<PlanDocument['terms']['assignments'][number]> & { repName: string; rampFrom: string | null }
  >`
    select x.rep_id as "repId", r.name as "repName", x.effective_start as "from", x.effective_end as "to",
      m.steps as ramp, case when m.steps is not null then x.ramp_from end as "rampFrom"
    from assignments x
    join reps r on r.workspace_id = x.workspace_id and r.rep_id = x.rep_id
    left join ramps m on m.workspace_id = x.workspace_id and m.ramp_id = x.ramp_id
    where x.workspace_id = ${tx.workspaceId} and x.plan_id = ${planId} and x.deleted_at is null ${ofReps}
    order by lower(r.name), x.rep_id, x.effective_start nulls first, x.assignment_id`.execute(tx.db);
  const assignmentsOf = byRep(assignments.rows);
  const quotas = await sql<OfRep<PlanDocument['terms']['quotas'][number]>>`
    select x.rep_id as "repId", x.attainment_key as measure, x.period, trim_scale(x.target)::text as target,
      trim_scale(x.variable_target)::text as "variableTarget"
    from quotas x where x.workspace_id = ${tx.workspaceId} and x.plan_id = ${planId} ${ofReps}
    order by x.rep_id, x.attainment_key, x.period`.execute(tx.db);
  const quotasOf = byRep(quotas.rows);
  const overrides = await sql<OfRep<PlanDocument['terms']['overrides'][number]>>`
    select x.rep_id as "repId", l.name as "ruleName", x.tiers
    from plan_overrides x join plan_rules l on l.workspace_id = x.workspace_id and l.rule_id = x.rule_id
    where x.workspace_id = ${tx.workspaceId} and x.plan_version_id = ${planVersionId} ${ofReps}
    order by x.rep_id, l.name`.execute(tx.db);
  const overridesOf = byRep(overrides.rows);
  const draws = await sql<OfRep<Draw> & { recovery: Draw['recovery'] | null }>`
    select x.rep_id as "repId", x.kind, x.recoverable, trim_scale(x.amount)::text as amount, x.currency,
      x.from_day as "from", x.to_day as "to",
      case when (x.recovery_start, x.recovery_percent, x.forgive_on) is distinct from ('next_period', 100, null::date)
        then jsonb_build_object('start', x.recovery_start, 'day', x.recovery_day,
          'maxPercent', trim_scale(x.recovery_percent), 'forgiveOn', x.forgive_on) end as recovery
    from draws x where x.workspace_id = ${tx.workspaceId} and x.deleted_at is null ${ofReps}
    order by x.rep_id, x.from_day, x.draw_id`.execute(tx.db);
  const drawsOf = byRep(draws.rows);
  return mapInSlices([...assignmentsOf], ([repId, assigned]) => ({
    repId,
    repName: assigned[0]?.repName ?? '',
    terms: {
      assignments: assigned.map(({ from, to, ramp, rampFrom }) => ({
        from,
        to,
        ramp,
        ...(rampFrom === null ? {} : { rampFrom }),
      })),
      quotas: withoutRep(quotasOf.get(repId)),
      overrides: withoutRep(overridesOf.get(repId)),
      draws: withoutRep(drawsOf.get(repId)).map(({ recovery, ...draw }) => ({
        ...draw,
        ...(recovery === null ? {} : { recovery }),
      })),
    },
  }));
}

function byRep<Term extends { readonly repId: string }>(terms: readonly Term[]): ReadonlyMap<string, readonly Term[]> {
  return groupBy(terms, ({ repId }) => repId);
}

function withoutRep<Term extends { readonly repId: string }>(terms: readonly Term[] = []): Omit<Term, 'repId'>[] {
  return terms.map(({ repId: _, ...term }) => term);
}

export const documentExample: PlanDocument = {
  plan: {
    name: 'AE',
    currency: null,
    from: '2026-01-01',
    to: null,
    config: { rules: [] },
    configurationSha256: 'b'.repeat(64),
  },
  terms: {
    assignments: [{ from: '2026-01-01', to: null, ramp: null }],
    quotas: [{ measure: 'New business', period: '2026-Q1', target: '100000', variableTarget: null }],
    overrides: [],
    draws: [],
  },
  workedAmounts: [
    {
      name: 'A deal of 60,000',
      deals: [{ dealId: sampleIds.dealId, amount: 60000, closeDate: '2026-01-15' }],
      expected: [{ ruleName: 'New business', amount: 4800 }],
      total: 4800,
    },
  ],
};
