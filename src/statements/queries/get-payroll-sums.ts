import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { groupBy } from '../../kernel/group-by.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { sumsByCurrency } from '../../kernel/sums-by-currency.js';
import { filteredPeopleQuery, filteredReps } from '../../people/reps/filtered-people.js';
import { dayOfState } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { optionalPeriod, wholeNumber } from '../../platform/operations/schemas.js';
import { payRun } from '../pay-run.js';
import { somePeople } from '../payroll-people.js';
import { type AmountSum, type PayrollSums, sumPayroll } from '../payroll-sums.js';
import { resolvePeriod } from '../statement-views.js';

const query = z.strictObject({
  period: optionalPeriod,
  ...filteredPeopleQuery,
  limit: wholeNumber(1, 1000).default(100).describe('Max number of teams on the page, 1 to 1000'),
  offset: wholeNumber(0, 1_000_000_000).default(0).describe('Number of teams to skip'),
});

const sums = z
  .array(
    z
      .object({
        currency: fields.currency,
        amount: z.number().describe('Sum of the net payouts; in pay periods of what is payable'),
      })
      .describe('Sum of one currency'),
  )
  .describe('Sums by currency');

const part = z.object({
  people: z.int().describe('Number of people'),
  withoutAmount: z.int().describe('Number of them without an amount in the period'),
  sums,
});

const payrollSums = z
  .object({
    period: fields.period,
    currency: fields.currency,
    isPayPeriod: z.boolean().describe('Whether payout batches pay the period'),
    run: payRun.nullable().describe('What the pay period pays, and what of it batches contain; null in other periods'),
    approved: part.describe('Approved statements'),
    missing: part.describe('Statements that are not approved, and whose days no other approved statement pays'),
    covered: z.int().describe('Number of people whose days are paid with another approved statement'),
    handedOver: sums.describe(
      'What recorded payroll files of the period contain for people whose statement is approved',
    ),
    withoutPayrollId: somePeople.describe('Approved people with an amount and without a payrollId'),
    changedPayrollIds: somePeople.describe(
      'Approved people with an amount whose payrollId was set or changed after the approval, or since the last hand-over of any period',
    ),
    sharedPayrollIds: somePeople.describe('Approved people with an amount who have the payrollId of another person'),
    teams: z
      .array(
        z
          .object({
            managerId: z.string().nullable().describe('Id of the manager today (UUID); null for people without one'),
            managerName: z.string().nullable().describe('Name of the manager; null for people without one'),
            people: z.int().describe('Number of people'),
            approved: z.int().describe('Number of approved statements'),
            sums: sums.describe('Sums of the approved statements by currency'),
          })
          .describe('The people of one manager'),
      )
      .describe('The teams of a page, those with the most people first'),
    teamCount: z.int().describe('Number of teams on all pages'),
  })
  .describe('What payroll pays in a period');

export const getPayrollSums = operation({
  id: 'getPayrollSums',
  summary:
    'Get what payroll pays in a period: sums and numbers of people by status and by team, and who has no payroll id',
  method: 'get',
  path: '/v1/statements/payroll',
  access: 'manager',
  payroll: true,
  query,
  response: payrollSums,
  failures: {},
  cacheScope: () => null,
  example: {
    query: { period: '2026-02' },
    response: {
      ...{ period: '2026-02', currency: 'USD', isPayPeriod: false, run: null },
      approved: { people: 1, withoutAmount: 0, sums: [{ currency: 'USD', amount: 5600 }] },
      missing: { people: 0, withoutAmount: 0, sums: [] },
      ...{ covered: 0, handedOver: [] },
      withoutPayrollId: { count: 0, people: [] },
      changedPayrollIds: { count: 0, people: [] },
      sharedPayrollIds: { count: 0, people: [] },
      teams: [
        {
          ...{ managerId: sampleIds.managerId, managerName: 'Mia', people: 1, approved: 1 },
          sums: [{ currency: 'USD', amount: 5600 }],
        },
      ],
      teamCount: 1,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { period: requested, limit, offset, ...filter } }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'none', access: 'read' }, async (tx) => {
      const { period, currency } = await resolvePeriod(tx, requested, clock);
      const today = await dayOfState(tx, clock);
      const repIds = await filteredReps(tx, caller, today, filter);
      const found = await sumPayroll(tx, period, { currency, today, repIds });
      const teams = listTeams(found);
      return {
        ...{ period, currency, isPayPeriod: found.run !== null, run: found.run },
        approved: partOf(found, 'approved'),
        missing: partOf(found, 'missing'),
        covered: partOf(found, 'covered').people,
        handedOver: addUp(found.handedOver),
        withoutPayrollId: found.withoutId,
        changedPayrollIds: found.changedIds,
        sharedPayrollIds: found.sharedIds,
        teams: teams.slice(offset, offset + limit),
        teamCount: teams.length,
      };
    });
  },
});

function addUp(amounts: readonly AmountSum[]): z.input<typeof sums> {
  return [...sumsByCurrency(amounts)].map(([currency, amount]) => ({ currency, amount: amount.toNumber() }));
}

function partOf(
  { counts, sums: all }: PayrollSums,
  state: PayrollSums['counts'][number]['state'],
): z.input<typeof part> {
  const ofState = counts.filter((each) => each.state === state);
  return {
    people: total(ofState.map(({ people }) => people)),
    withoutAmount: total(ofState.map(({ withoutAmount }) => withoutAmount)),
    sums: addUp(all.filter((each) => each.state === state)),
  };
}

function listTeams({ counts, sums: all }: PayrollSums): z.input<typeof payrollSums>['teams'] {
  const approvedSums = groupBy(
    all.filter(({ state }) => state === 'approved'),
    ({ managerId }) => managerId,
  );
  return [...groupBy(counts, ({ managerId }) => managerId)]
    .map(([managerId, ofTeam]) => ({
      managerId,
      managerName: ofTeam[0]?.managerName ?? null,
      people: total(ofTeam.map(({ people }) => people)),
      approved: total(ofTeam.filter(({ state }) => state === 'approved').map(({ people }) => people)),
      sums: addUp(approvedSums.get(managerId) ?? []),
    }))
    .sort((a, b) => b.people - a.people);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
