import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { mailPreferences, requirePerson, toPreferences } from '../mail-preferences.js';

export const getMailPreferences = operation({
  id: 'getMailPreferences',
  summary: 'Which mails the person of the session receives',
  method: 'get',
  path: '/v1/mail-preferences',
  access: 'rep',
  payroll: true,
  scope: null,
  response: mailPreferences,
  failures: { no_person: 409 },
  example: { response: toPreferences(['weekly_digest']) },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    const repId = requirePerson(caller);
    const { mail_opt_outs: optOuts } = await unitOfWork.read(caller, (tx) =>
      tx.db
        .selectFrom('reps')
        .select('mail_opt_outs')
        .where('workspace_id', '=', caller.workspaceId)
        .where('rep_id', '=', repId)
        .executeTakeFirstOrThrow(),
    );
    return toPreferences(optOuts);
  },
});
