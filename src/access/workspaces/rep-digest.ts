import { z } from 'zod';
import { addDays, type Day, mondayOf } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { timeOfDay } from '../../platform/operations/schemas.js';

const time = timeOfDay('20:00');

const quietHours = z
  .strictObject({ from: time.describe('Time from when on, HH:MM'), to: time.describe('Time until when, HH:MM') })
  .refine(({ from, to }) => from !== to, 'must begin and end at different times')
  .describe('The hours in which the mail is not sent, in the time zone of the workspace; from may be after to');
export type QuietHours = z.output<typeof quietHours>;

const defaultQuietHours: QuietHours = { from: '20:00', to: '08:00' };

/** Whether people get a weekly mail about their pay. */
export const repDigest = z
  .strictObject({
    enabled: z.boolean().describe('Whether people get the mail, unless they have turned it off for themselves'),
    quietHours: quietHours
      .nullable()
      .optional()
      .describe(`${quietHours.description}. 20:00 to 08:00 by default; null: it may be sent at any time`),
  })
  .describe('The weekly mail to people about their own pay: on Mondays, when the quiet hours end');

/** The setting of a workspace that sends the mail. */
export const activeRepDigest = z
  .object({
    enabled: z.literal(true).describe('Always true'),
    from: z.string().describe('The first Monday on which it is sent, YYYY-MM-DD'),
    quietHours: quietHours.nullable(),
  })
  .describe(`${repDigest.description}; absent while it is off`);

/** How the setting is stored. */
export interface StoredRepDigest {
  readonly from: Day;
  readonly quietHours: QuietHours | null;
}

/** A workspace that turns the mail on sends it from the next Monday on. */
export async function changeRepDigest(
  tx: Transaction,
  { enabled, quietHours: quiet = defaultQuietHours }: z.output<typeof repDigest>,
  today: Day,
): Promise<void> {
  const { rep_digest: before } = await tx.db
    .selectFrom('workspaces')
    .select('rep_digest')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const stored: StoredRepDigest = { from: before?.from ?? addDays(mondayOf(today), 7), quietHours: quiet };
  await tx.db
    .updateTable('workspaces')
    .set({ rep_digest: enabled ? JSON.stringify(stored) : null })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
}

/** Whether the time, HH:MM, lies in the quiet hours. They end at `to`, which is not quiet. */
export function isQuiet(time: string, hours: QuietHours | null): boolean {
  if (hours === null) return false;
  const { from, to } = hours;
  return from < to ? time >= from && time < to : time >= from || time < to;
}
