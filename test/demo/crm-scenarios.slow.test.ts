import { expect } from 'chai';
import { CrmScenarios } from '#demo/crm-scenarios.js';
import { DemoCrmTour } from '#demo/crm-tour.js';
import { DemoCrms } from '#demo/crms.js';
import { DemoApi } from '#demo/demo-api.js';
import { freePort } from '#test/support/free-port.js';
import { Service } from '#test/support/service.js';

describe('the demo of simulated CRMs', () => {
  let crms: DemoCrms;
  let service: Service;

  before(async () => {
    crms = await DemoCrms.start();
    const port = String(await freePort());
    const settings = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` };
    service = await Service.start({ settings: { ...crms.environment, ...settings } });
  });

  after(async () => {
    await service?.stop();
    await crms?.stop();
  });

  it('repairs a lost webhook, keeps a sandbox apart, keeps hidden deals paid, pays on a second pipeline, and writes commission to the CRM', async () => {
    const apiOf = async () => new DemoApi(service.url, (await service.workspace({ tier: 'enterprise' })).apiKey);
    const api = await apiOf();
    await new DemoCrmTour(crms, api).prepare();
    const texts: string[] = [];
    for await (const text of new CrmScenarios(crms, api, await apiOf()).run()) texts.push(text);
    const [lost, sandbox, hidden, pipeline, written] = texts;
    expect(lost).to.match(/read the change from the CRM after .* earns 700 USD/);
    expect(sandbox).to.contain('6 deals of production, 1 of the sandbox');
    expect(hidden).to.contain('found 1 hidden deal and deleted 0: its commission is still earned');
    expect(pipeline)
      .to.match(/"Renewed" of the pipeline "Renewals"/)
      .and.match(/is_won: true.*earns 900 USD/);
    expect(written)
      .to.match(/missing: permission_missing, field_missing, field_missing/)
      .and.match(/\d deals show their commission.* shows \d+ Earned/);
  });
});
