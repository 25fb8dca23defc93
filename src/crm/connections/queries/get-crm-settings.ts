import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { providerParams } from '../crm-connection.js';
import { crmSettings, settingsExample } from '../crm-settings.js';
import { findSettings } from '../crm-settings-views.js';

export const getCrmSettings = operation({
  id: 'getCrmSettings',
  summary: 'What is read from a CRM and what is written to it',
  method: 'get',
  path: '/v1/integrations/:provider/settings',
  access: 'admin',
  params: providerParams,
  response: crmSettings,
  failures: {},
  example: { params: { provider: 'crmb' }, response: settingsExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { provider } }, caller, { unitOfWork }) {
    return unitOfWork.read(caller, (tx) => findSettings(tx, provider));
  },
});
