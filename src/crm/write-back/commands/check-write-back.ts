import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { CrmAccounts } from '../../connections/crm-accounts.js';
import { providerParams } from '../../connections/crm-connection.js';
import { callingCrm, crmFailures } from '../../connections/crm-failures.js';
import { writeBackExample, writeBackStatus } from '../write-back.js';
import { recordCheck, resumeWriteBack } from '../write-back-store.js';
import { findWriteTargets, readWriteBackStatus } from '../write-back-views.js';

export const checkWriteBack = operation({
  id: 'checkWriteBack',
  summary: 'Check whether commission can be written to the deals of a CRM, and write rejected deals again',
  method: 'post',
  path: '/v1/integrations/:provider/write-back/check',
  access: 'admin',
  params: providerParams,
  response: writeBackStatus,
  failures: { ...crmFailures, write_back_off: 409 },
  example: { params: { provider: 'crmb' }, response: writeBackExample },
  uses: { unitOfWork: UnitOfWork, accounts: CrmAccounts },
  async execute({ params: { provider } }, caller, { unitOfWork, accounts }) {
    const { workspaceId } = caller;
    const targets = await unitOfWork.read(caller, (tx) => findWriteTargets(tx, provider));
    const account = targets === null ? null : await accounts.open(workspaceId, provider);
    if (targets === null || account === null)
      throw new Failure('write_back_off', `Nothing is written to ${provider}: connect it and name the fields first.`);
    const check = await callingCrm(() => account.checkWrites(targets));
    return unitOfWork.write(caller, async (tx) => {
      await resumeWriteBack(tx, provider);
      await recordCheck(tx, provider, check);
      return readWriteBackStatus(tx, provider);
    });
  },
});
