import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { mailPreferences, notificationKind, requirePerson, toPreferences } from '../mail-preferences.js';

const body = z.strictObject({
  disabled: z
    .array(notificationKind)
    .max(20)
    .transform((kinds) => [...new Set(kinds)])
    .describe('The kinds that the person does not receive; all others are sent'),
});

export const setMailPreferences = operation({
  id: 'setMailPreferences',
  summary: 'Choose which mails the person of the session receives',
  method: 'put',
  path: '/v1/mail-preferences',
  access: 'rep',
  payroll: true,
  finance: true,
  scope: null,
  body,
  response: mailPreferences,
  failures: { no_person: 409 },
  example: { body: { disabled: ['weekly_digest'] }, response: toPreferences(['weekly_digest']) },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: { disabled } }, caller, { unitOfWork }) {
    const repId = requirePerson(caller);
    await unitOfWork.write(caller, (tx) =>
      tx.db
        .updateTable('reps')
        .set({ mail_opt_outs: disabled })
        .where('workspace_id', '=', caller.workspaceId)
        .where('rep_id', '=', repId)
        .execute(),
    );
    return toPreferences(disabled);
  },
});
