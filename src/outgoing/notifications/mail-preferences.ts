import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type NotificationKind, notificationKinds } from './notification.js';

const kinds = Object.keys(notificationKinds) as [NotificationKind, ...NotificationKind[]];
export const notificationKind = z.enum(kinds);

export const mailPreferences = z
  .object({
    mails: z
      .array(
        z
          .object({
            kind: notificationKind.describe('Kind of the mail'),
            description: z.string().describe('When the mail is sent'),
            enabled: z.boolean().describe('Whether the person receives it'),
          })
          .describe('A kind of mail'),
      )
      .describe('Every kind of mail that a person can turn off'),
  })
  .describe('Which mails the person of the session receives');

/** The person of the session. Keys and tokens without a person receive no mail. */
export function requirePerson({ repId }: Caller): string {
  if (repId === null) throw new Failure('no_person', 'Only people receive mail. Sign in to choose your mails.');
  return repId;
}

export function toPreferences(optOuts: readonly string[]): z.input<typeof mailPreferences> {
  const mails = kinds.map((kind) => ({
    kind,
    description: notificationKinds[kind],
    enabled: !optOuts.includes(kind),
  }));
  return { mails };
}
