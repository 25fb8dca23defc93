import { expect } from 'chai';
import { ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';
import { addLargeWorkspace, largePeriod as period } from '../web/large-workspace.js';
import { slownessOfMachine } from './machine-speed.js';
import { ServiceMonitor } from './service-monitor.js';

const people = 50_000;
/** For how long `/livez` may be held up on the machine of the budgets. */
const maxMs = 100;
/** Collections of garbage and other processes of the machine delay a response too: a request fails only if it is too slow every time. */
const attempts = 3;

const requests = {
  'the statements of everyone': `GET /v1/statements?period=${period}`,
  'what everyone earned': `GET /v1/commissions?period=${period}`,
  'all people': 'GET /v1/reps',
  'all quotas': 'GET /v1/quotas',
  'all assignments': 'GET /v1/assignments',
  'the history of a plan': 'GET /v1/plans?versions=all',
  'the acceptances of everyone': 'GET /v1/acceptances',
  'the file of acceptances': 'GET /v1/acceptances/export.csv',
  'the file of everyone': `GET /v1/statements/export.csv?period=${period}`,
  'the file of a payroll system': `GET /v1/statements/export.csv?period=${period}&layout=workday&include=draft`,
  'the line items of everyone': `GET /v1/statements/export.csv?period=${period}&layout=lines&include=all`,
  'the workbook of everyone': `GET /v1/statements/export.xlsx?period=${period}`,
  'a hand-over of everyone': 'POST /v1/payroll-handovers',
  'a generation of everyone': 'POST /v1/statements/generate',
};

/** What the requests send. */
const bodies: Readonly<Record<string, object>> = {
  '/v1/payroll-handovers': { period, layout: 'generic', async: false },
  '/v1/statements/generate': { period },
};

describe('a process that serves 50,000 people', () => {
  let service: Service;
  let workspace: Workspace;
  let api: ApiClient;
  let monitor: ServiceMonitor;

  before(async () => {
    service = await Service.start();
    workspace = await service.workspace();
    await addLargeWorkspace({ service, workspace }, people);
    await service.sql(`update reps set payroll_id = 'X' || left(rep_id::text, 13) where payroll_id is null`);
    const target = await service.startProcess('both', { LOG_LEVEL: 'error', NO_DEMO: '1' }, { isInstalled: true });
    api = new ApiClient(target.url, workspace.apiKey);
    monitor = new ServiceMonitor(target.url, target.pid);
  });

  after(async () => {
    await monitor?.stop();
    await service?.stop();
  });

  for (const [what, request] of Object.entries(requests))
    it(`responds to others while it sends ${what}`, async () => {
      const [method = '', path = ''] = request.split(' ');
      const exceeded: string[] = [];
      while (exceeded.length < attempts) {
        // A change, so that no response comes from the cache.
        await api.expect(200, 'PATCH', '/v1/workspaces', { name: `Halden ${what} ${exceeded.length}` });
        const { slowestMs } = await monitor.during(async () => {
          const { status } = await api.send(method, path, bodies[path]);
          expect(status).to.be.oneOf([200, 201, 202]);
        });
        const limitMs = maxMs * slownessOfMachine();
        if (slowestMs < limitMs) return;
        exceeded.push(`${Math.round(slowestMs)} ms (limit ${Math.round(limitMs)} ms)`);
      }
      expect.fail(`/livez took ${exceeded.join(', then ')}`);
    });
});
