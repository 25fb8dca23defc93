import { type RawBuilder, sql } from 'kysely';
import { type DealTerms } from '../../deals/deal.js';
import { loadDealTerms } from '../../deals/load-deal-terms.js';
import { asNumber, comparable, type Fields } from '../../engine/field-value.js';
import { own } from '../../engine/slug.js';
import { standardNamedBy, usualSlugs } from '../../engine/standard-slugs.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { scoreIdStart } from '../../kernel/score-id.js';
import { inParallel } from '../../kernel/waiting.js';
import { hasPartOf } from '../../ledger/input/deals-of-rep.js';
import { type RepTerms, type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type WonForm } from './forecast-task.js';

/** Where the probability of a deal is from: its own field, or the closed deals that have been in its stage. */
type Probability =
  | { readonly value: Decimal; readonly source: 'deal'; readonly field: string }
  | { readonly value: Decimal; readonly source: 'stage'; readonly won: number; readonly closed: number };

export interface OpenDeal {
  readonly dealId: string;
  readonly name: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly stage: string | null;
  readonly stageLabel: string | null;
  readonly closeDate: Day;
  readonly probability: Probability | null;
  readonly won: WonForm;
}

interface OpenDealRow extends Omit<OpenDeal, 'probability' | 'won'> {
  readonly provider: string | null;
  readonly fields: Fields;
}

/** What the closed deals of the workspace say about the open ones. */
export interface StageHistory {
  readonly terms: DealTerms;
  readonly rates: ReadonlyMap<string, { readonly won: number; readonly closed: number }>;
  readonly wonStages: readonly WonStage[];
}

interface WonStage {
  readonly provider: string | null;
  readonly stage: string;
  readonly label: string | null;
}

/** A stage that fewer closed deals have been in says too little. */
const minSample = 10;
const sampledDeals = 2000;

/** Reads the newest closed deals. Reading them takes the same time for a million deals. */
export async function loadStageHistory(tx: Transaction): Promise<StageHistory> {
  const terms = await loadDealTerms(tx);
  const closed = sql`(
    select * from deals
    where workspace_id = ${tx.workspaceId} and snapshot_at > '-infinity' and is_closed and deleted_at is null
    order by snapshot_at desc, deal_id limit ${sampledDeals}) c`;
  const [rates, wonStages] = await inParallel(
    () =>
      sql<{ stage: string; won: number; closed: number }>`
        select stage, count(*) filter (where is_won)::int as won, count(*)::int as closed from (
          select distinct c.deal_id, c.is_won, btrim(${stageOf(terms)}) as stage
          from ${closed} join deal_snapshots s on s.workspace_id = c.workspace_id and s.deal_id = c.deal_id
        ) passed where stage <> '' group by stage`.execute(tx.db),
    () =>
      sql<WonStage>`
        select provider, stage, fields ->> 'stage_label' as label from ${closed} where is_won and stage is not null
        group by provider, stage, fields ->> 'stage_label' order by count(*) desc, stage`.execute(tx.db),
  );
  return { terms, rates: new Map(rates.rows.map((row) => [row.stage, row])), wonStages: wonStages.rows };
}

/** The stage of the snapshot `s`. */
function stageOf({ standard }: DealTerms): RawBuilder<unknown> {
  const slugs = standard.dealStage === undefined ? usualSlugs.dealStage : [standard.dealStage];
  return sql`coalesce(s.given ->> 'stage', ${sql.join(slugs.map((slug) => sql`s.fields ->> ${slug}::text`))})`;
}

/** The open deals of the person that close on the days, the first of them first. */
export async function listOpenDeals(
  tx: Transaction,
  { repId, workspace, versions }: Pick<RepTerms, 'repId' | 'workspace' | 'versions'>,
  { from, to }: DayRange,
  history: StageHistory,
): Promise<OpenDeal[]> {
  const { rows } = await sql<OpenDealRow>`
    select d.deal_id as "dealId", d.name, d.amount::text as amount, d.currency, d.stage,
      coalesce(d.fields ->> 'stage_label', d.stage) as "stageLabel", d.close_date as "closeDate", d.provider, d.fields
    from deals d
    where d.workspace_id = ${tx.workspaceId} and d.deleted_at is null and not d.is_closed
      and d.close_date between ${from}::date and ${to}::date and not starts_with(d.deal_id, ${scoreIdStart})
      and ${hasPartOf(tx.workspaceId, sql`d`, [repId])}
    order by d.close_date, d.deal_id`.execute(tx.db);
  const paidStages = stagesOfConditions(versions, history.terms);
  return rows.map(({ provider, fields, ...row }) => ({
    ...row,
    probability: readProbability(fields, workspace) ?? rateOfStage(row.stage, history),
    won: wonForm(provider, paidStages, history),
  }));
}

/** The names of a probability in CRMs, the person's own estimate first. The first two are fractions, `Probability` is in percent. */
const fractionSlugs = ['hs_forecast_probability', 'hs_deal_stage_probability'];
const percentSlug = 'Probability';
const probabilitySlugs = [...fractionSlugs, percentSlug, 'probability', 'deal_probability', 'win_probability'];

function readProbability(fields: Fields, { measures }: WorkspaceTerms): Probability | null {
  const mapped = own(measures, 'probability');
  for (const field of mapped === undefined ? probabilitySlugs : [mapped]) {
    const number = asNumber(own(fields, field));
    if (number === null) continue;
    const isFraction = fractionSlugs.includes(field) || (field !== percentSlug && !Decimal.one.isLessThan(number));
    const value = isFraction ? number : number.times(Decimal.of(0.01));
    if (value.sign() >= 0 && !Decimal.one.isLessThan(value)) return { value, source: 'deal', field };
  }
  return null;
}

function rateOfStage(stage: string | null, { rates }: StageHistory): Probability | null {
  const rate = stage === null ? undefined : rates.get(stage);
  if (rate === undefined || rate.closed < minSample) return null;
  const { won, closed } = rate;
  return { value: Decimal.of(won).dividedBy(Decimal.of(closed), 6), source: 'stage', won, closed };
}

/** The stage that won deals of the CRM have, unless the plan pays only for others. */
function wonForm(provider: string | null, paidStages: readonly string[], { terms, wonStages }: StageHistory): WonForm {
  const paid = paidStages.map(comparable);
  const isPaid = ({ stage }: WonStage) => paid.length === 0 || paid.includes(comparable(stage));
  const ofCrm = wonStages.filter((won) => won.provider === provider);
  const known = ofCrm.find(isPaid) ?? wonStages.find(isPaid);
  const stage = known?.stage ?? paidStages[0] ?? wonStages[0]?.stage ?? 'Closed Won';
  const mapped = terms.standard.dealStage;
  const stageSlugs = mapped === undefined ? usualSlugs.dealStage : [mapped, ...usualSlugs.dealStage];
  return { stage, stageLabel: known?.label ?? stage, stageSlugs };
}

/** The stages that the conditions of the plans name. */
function stagesOfConditions(versions: RepTerms['versions'], { standard }: DealTerms): string[] {
  const leaves = versions
    .flatMap(({ dealConditions, rules }) => [...dealConditions, ...rules.flatMap(({ conditions }) => conditions)])
    .flatMap((condition) => ('rules' in condition ? condition.rules : [condition]));
  const values = leaves
    .filter(({ field }) => field === standard.dealStage || standardNamedBy(field) === 'dealStage')
    .filter(({ operator }) => operator === 'equals' || operator === 'in')
    .flatMap(({ value }) => (Array.isArray(value) ? value : [value]));
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}
