import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Period } from '../kernel/period.js';
import { batchedLines } from '../pay/payables/statement-payouts.js';
import { unpaidOf } from '../pay/payables/unpaid.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { rowsOf, someOf, somePeople } from './payroll-people.js';

const isUnpaid = z
  .boolean()
  .describe('true: of people to whom something is owed that no batch contains; false: of others');

export const payRun = z
  .object({
    earned: z
      .array(
        z
          .object({
            currency: fields.currency,
            isUnpaid,
            released: z.number().describe('What is released, with what earlier statements carried forward'),
            drawn: z.number().describe('What draws pay in addition'),
            deducted: z.number().describe('What is deducted to reduce balances and to repay draws'),
            payable: z.number().describe('What is payable'),
            owed: z.number().describe('What the people still owe'),
          })
          .describe('Sum of one currency'),
      )
      .describe('What statements of every status pay, by the currency in which it is earned'),
    paid: z
      .array(
        z
          .object({
            currency: fields.currency,
            isUnpaid,
            inOpenBatches: z.number().describe('What open batches contain'),
            inPaidBatches: z.number().describe('What paid batches contain'),
            unpaid: z.number().describe('What is approved and in no batch'),
          })
          .describe('Sum of one currency'),
      )
      .describe('What batches contain and do not contain of approved statements, by the currency in which it is paid'),
    unpaidPeople: z.int().describe('Number of people to whom something is owed that no batch contains'),
    paidPeople: z.int().describe('Number of people whom paid batches pay'),
    paidOn: z.array(z.string()).describe('Days on which batches were paid, YYYY-MM-DD, earliest first'),
    next: z
      .array(
        z
          .object({
            currency: fields.currency.nullable().describe('Currency of the batch; null: all currencies'),
            amount: z.number().nullable().describe('What the batch would pay; null for all currencies'),
            people: z.int().describe('Number of people whom it would pay'),
            withoutPayrollId: somePeople.describe('Those without a payrollId'),
            changedPayrollIds: somePeople.describe(
              'Those whose payrollId was set or changed after the approval, or since the last hand-over of any period',
            ),
            sharedPayrollIds: somePeople.describe('Those who have the payrollId of another person'),
          })
          .describe('A batch that could be created'),
      )
      .describe('What the next batch would pay, for each currency and for all; empty if nothing is unpaid'),
    others: z
      .array(
        z
          .object({
            reason: z
              .enum(['batched', 'owes', 'nothing'])
              .describe(
                'batched: batches contain everything; owes: the person still owes; nothing: nothing is payable',
              ),
            count: z.int().describe('Number of people'),
            people: z
              .array(
                z
                  .object({ repId: z.string().describe('Id of the rep (UUID)'), name: z.string().describe('Name') })
                  .describe('A person'),
              )
              .describe('The first hundred of them by name'),
          })
          .describe('The people of one reason'),
      )
      .describe('Approved people whom the next batch would not pay, by reason'),
  })
  .describe('What a pay period pays, and what of it batches contain');
export type PayRun = z.input<typeof payRun>;

const namedOthers = 100;

/**
 * Further tables for {@link payRunSums}. Whether something is unpaid to a person is joined: PostgreSQL estimates a hundred elements for each
 * list of JSON, and would search a list of that length for every person.
 */
export function payRunTables(tx: Transaction, period: Period): RawBuilder<unknown> {
  const approved = sql`
    select rep_id, currency, amount from people join stated using (rep_id) join amounts using (rep_id)
    where state = 'approved'`;
  return sql`
    unpaid as materialized (${unpaidOf(tx, period, approved)}),
    run_people as materialized (
      select people.*, unpaid.rep_id is not null as is_unpaid
      from people left join (select distinct rep_id from unpaid) unpaid using (rep_id)
    ),
    batched as materialized (
      select rep_id, is_unpaid, l.currency, l.amount, b.status as batch_status, b.paid_on
      from ${batchedLines} join run_people using (rep_id)
      where l.workspace_id = ${tx.workspaceId} and l.period = ${period}
    ),
    totals as materialized (
      select rep_id, is_unpaid, total ->> 'currency' as currency,
        (total ->> 'released')::numeric + (total ->> 'carriedIn')::numeric as released,
        coalesce((total ->> 'drawn')::numeric, 0) as drawn,
        (total ->> 'recovered')::numeric + coalesce((total ->> 'repaid')::numeric, 0) as deducted,
        (total ->> 'payable')::numeric as payable, (total ->> 'closing')::numeric as owed
      from stated join run_people using (rep_id) cross join lateral jsonb_array_elements(totals) total
    )`;
}

/** Of the rows of unpaid amounts. */
const isOfBatch = sql`(batch.currency is null or unpaid.currency = batch.currency)`;

/** Of the rows of people. */
const isInBatch = sql`people.rep_id in (select unpaid.rep_id from unpaid where ${isOfBatch})`;

/** What the tables of payroll and those of {@link payRunTables} pay, as {@link PayRun}. */
export const payRunSums = sql`jsonb_build_object(
  'earned', ${rowsOf(sql`
    select currency, is_unpaid as "isUnpaid", sum(released) as released, sum(drawn) as drawn, sum(deducted) as deducted,
      sum(payable) as payable, sum(owed) as owed
    from totals group by currency, is_unpaid order by currency, is_unpaid`)},
  'paid', ${rowsOf(sql`
    select currency, is_unpaid as "isUnpaid",
      sum(case batch_status when 'open' then amount else 0 end) as "inOpenBatches",
      sum(case batch_status when 'paid' then amount else 0 end) as "inPaidBatches",
      sum(case batch_status when 'none' then amount else 0 end) as unpaid
    from (
      select currency, is_unpaid, amount, batch_status from batched
      union all select currency, true, amount, 'none' from unpaid
    ) part group by currency, is_unpaid order by currency, is_unpaid`)},
  'unpaidPeople', (select count(distinct rep_id) from unpaid),
  'paidPeople', (select count(distinct rep_id) from batched where batch_status = 'paid'),
  'paidOn', (
    select coalesce(jsonb_agg(distinct paid_on order by paid_on), '[]') from batched where batch_status = 'paid'),
  'next', ${rowsOf(sql`
    select batch.currency, (select sum(amount) from unpaid where currency = batch.currency) as amount,
      (select count(distinct rep_id) from unpaid where ${isOfBatch}) as people,
      ${someOf(sql`lacks_id and ${isInBatch}`)} as "withoutPayrollId",
      ${someOf(sql`has_changed_id and ${isInBatch}`)} as "changedPayrollIds",
      ${someOf(sql`shares_id and ${isInBatch}`)} as "sharedPayrollIds"
    from (select currency from unpaid group by rollup (currency)) batch
    where exists (select from unpaid)
    order by batch.currency nulls last`)},
  'others', ${rowsOf(sql`
    select reason, count(*) as count,
      jsonb_agg(jsonb_build_object('repId', rep_id, 'name', name) order by position)
        filter (where position <= ${namedOthers}) as people
    from (
      select *, row_number() over (partition by reason order by lower(name), rep_id) as position
      from (
        select rep_id, name, case
          when contained.rep_id is not null then 'batched' when owing.rep_id is not null then 'owes' else 'nothing'
        end as reason
        from run_people
        left join (select distinct rep_id from batched where amount <> 0) contained using (rep_id)
        left join (select distinct rep_id from totals where owed > 0) owing using (rep_id)
        where state = 'approved' and not is_unpaid
      ) other
    ) other group by reason order by reason`)})`;
