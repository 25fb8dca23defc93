import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { providerParams } from '../../connections/crm-connection.js';
import { writeBackExample, writeBackStatus } from '../write-back.js';
import { readWriteBackStatus } from '../write-back-views.js';

export const getWriteBack = operation({
  id: 'getWriteBack',
  summary: 'Whether commission is written to the deals of a CRM, what prevents it, and which deals the CRM rejects',
  method: 'get',
  path: '/v1/integrations/:provider/write-back',
  access: 'admin',
  params: providerParams,
  response: writeBackStatus,
  failures: {},
  example: { params: { provider: 'crmb' }, response: writeBackExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { provider } }, caller, { unitOfWork }) {
    return unitOfWork.read(caller, (tx) => readWriteBackStatus(tx, provider));
  },
});
