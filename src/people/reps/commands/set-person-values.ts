import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { type Caller, peopleBehind } from '../../../kernel/caller.js';
import { type Clock } from '../../../kernel/clock.js';
import { type DayRange } from '../../../kernel/day.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { requireUuid } from '../../../platform/operations/schemas.js';
import { changeOrPreview } from '../../../simulation/preview-write.js';
import { dryRunQuery, personalEffect, toPersonalEffect } from '../../../simulation/write-effect.js';
import { datedValues, differingDays, findDatedField, readDatedValues } from '../dated-field.js';
import { storeDatedValues } from '../dated-value-store.js';
import { findDatedValues, isReadByTables, ownRates } from '../dated-value-views.js';
import { lockPeople } from '../lock-people.js';
import { personFieldSlug, personValues, personValuesExample } from '../person-values-response.js';
import { repNotFound } from '../rep.js';
import { assertRepExists, workspaceToday } from '../rep-views.js';

const params = z.strictObject({ repId: pathIds.repId, slug: personFieldSlug });

export const setPersonValues = operation({
  id: 'setPersonValues',
  summary: 'Replace the values of a dated field of a person; deals on days with another value are calculated again',
  method: 'put',
  path: '/v1/reps/:repId/fields/:slug',
  access: 'admin',
  params,
  query: dryRunQuery,
  body: z.strictObject({ values: datedValues }),
  response: personValues.extend({
    effect: personalEffect
      .nullable()
      .optional()
      .describe(
        'With dryRun: what the change would do to commission; null if the person has more deals than can be calculated at once',
      ),
  }),
  failures: { rep_not_found: 404, field_not_dated: 400 },
  example: {
    params: { repId: sampleIds.repId, slug: 'title' },
    body: { values: personValuesExample.values },
    response: personValuesExample,
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { repId: rawId, slug }, query: { dryRun }, body: { values } }, caller, uses) {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    const change = { repId, slug, values };
    return changeOrPreview(uses, caller, { dryRun, toEffect: toPersonalEffect }, async (tx) => ({
      ...(await writeValues(tx, caller, uses.clock, change)),
      trigger: 'person',
    }));
  },
});

interface ValuesChange {
  readonly repId: string;
  readonly slug: string;
  readonly values: z.output<typeof datedValues>;
}

/** The stored values, and the person with the days on which rate tables read another one. */
async function writeValues(
  tx: Transaction,
  caller: Caller,
  clock: Clock,
  { repId, slug, values }: ValuesChange,
): Promise<{ readonly result: z.input<typeof personValues>; readonly affected: ReadonlyMap<string, DayRange> }> {
  await lockPeople(tx);
  await assertRepExists(tx, repId);
  const next = readDatedValues(await findDatedField(tx, slug), values);
  if (peopleBehind(caller).includes(repId)) throw ownRates();
  const isRead = await isReadByTables(tx, [slug]);
  const days = differingDays(await findDatedValues(tx, repId, slug), next);
  await storeDatedValues(tx, { repId, slug, today: await workspaceToday(tx, clock) }, next);
  return { result: { repId, slug, values: next }, affected: new Map(isRead && days !== null ? [[repId, days]] : []) };
}
