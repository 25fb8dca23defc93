import { type RawBuilder, sql } from 'kysely';

type Expression = RawBuilder<unknown>;

/** A rep in a statement, and the days on which deals are read. */
interface RepDays {
  readonly workspaceId: string;
  readonly repId: Expression;
  readonly isOnDay: (closeDate: Expression) => Expression;
}

/** The existing deals that the rep owns or has a line on, by their indexes. */
export function dealsOfRep({ workspaceId, repId, isOnDay }: RepDays): Expression {
  return sql`
    select * from deals
    where workspace_id = ${workspaceId} and rep_id = ${repId} and ${isOnDay(sql`close_date`)} and deleted_at is null
    union all
    select d.* from deal_participations p cross join lateral (
      select * from deals where workspace_id = ${workspaceId} and deal_id = p.deal_id offset 0
    ) d
    where p.workspace_id = ${workspaceId} and p.rep_id = ${repId} and ${isOnDay(sql`p.close_date`)}
    offset 0`;
}

/** The close dates of the deals of {@link dealsOfRep}. */
export function daysOfDeals({ workspaceId, repId, isOnDay }: RepDays): Expression {
  return sql`
    select close_date from deals
    where workspace_id = ${workspaceId} and rep_id = ${repId} and ${isOnDay(sql`close_date`)} and deleted_at is null
    union all
    select close_date from deal_participations
    where workspace_id = ${workspaceId} and rep_id = ${repId} and ${isOnDay(sql`close_date`)}`;
}

/** The rep and the days of `input`. */
export function givenRepDays(workspaceId: string): RepDays {
  return {
    workspaceId,
    repId: sql`input.rep_id`,
    isOnDay: (closeDate) => sql`${closeDate} between input.from_day and input.to_day`,
  };
}

/** Whether one of the reps owns the deal or has a line on it. The array is read once, so that indexes find both. */
export function hasPartOf(workspaceId: string, deal: Expression, repIds: readonly string[]): Expression {
  return sql`(${deal}.rep_id = any(${repIds}::uuid[]) or ${deal}.deal_id = any(array(
    select p.deal_id from deal_participations p
    where p.workspace_id = ${workspaceId} and p.rep_id = any(${repIds}::uuid[]))))`;
}

/** Whether the deal `d` should pay: it is in a won stage, or without a stage. Open pipeline and lost deals are left out. */
export const isExpectedToPay = sql`(d.is_won or d.stage is null) and d.deleted_at is null`;
