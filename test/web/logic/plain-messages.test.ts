import { expect } from 'chai';
import { plainIssues, plainMessage } from '#web/shared/format/plain-message.js';

describe('a message of the service in words of the product', () => {
  for (const [message, words] of [
    ['There is no such plan.', 'There is no such plan.'],
    ['The version of 2026-03-01 pays until 2026-12-31.', 'The version of 1 Mar 2026 pays until 31 Dec 2026.'],
    ['"2026-03-01" of file-2026-03-01.csv is no day.', '"2026-03-01" of file-2026-03-01.csv is no day.'],
    ['They owe -500.00 (-$20, USD -3).', 'They owe −500.00 (−$20, USD −3).'],
    ['D-1 is 2-3 days late; 2026-02-30 is none.', 'D-1 is 2-3 days late; 2026-02-30 is none.'],
    ['Define the year (PUT /v1/fiscal-years).', 'Define the year on the page Fiscal calendar.'],
    [
      'No fiscal year is defined. Enter the rate (PUT /v1/fx-rates).',
      'No fiscal year is defined. Enter the rate on the page Exchange rates.',
    ],
    [
      'mia@acme.test has no payrollId; set it with PATCH /v1/reps/6f1c2a34-58d1-4c1e-9a55-0d2f6f1f7c21',
      'mia@acme.test has no payroll ID; set it on the page People',
    ],
    [
      'adp needs payroll.companyCode; set it with PATCH /v1/workspaces',
      'adp needs company code; set it on the page Workspace',
    ],
    [
      'No client is set up. Connect with a token instead: POST /auth/workspace/connect-crmb.',
      'No client is set up. Connect with a token instead on the page Connections.',
    ],
    [
      'The code is wrong or has expired. Request a new one with POST /auth/otp/send.',
      'The code is wrong or has expired.',
    ],
    [
      'idColumn: the header has no column id; name the column of the deal ids with idColumn, one of: Nr, Amount',
      'Column of the deal ID: the header has no column id; choose the column with the deal ID',
    ],
    ['Begin again with GET /auth/crmb/connect.', 'Begin again with GET /auth/crmb/connect.'],
  ] as const)
    it(message, () => {
      expect(plainMessage(message)).to.equal(words);
    });

  it('names the fields of a form and what is wrong with each', () => {
    const issues = [
      { path: 'currency', message: 'must be an ISO 4217 currency code such as USD' },
      { path: 'reps.3.managerEmail', message: 'must be an e-mail address' },
      { path: '', message: 'must have a name or an address.' },
      { path: 'x', message: 'is unknown' },
    ];
    expect(plainIssues(issues)).to.equal(
      "Currency must be an ISO 4217 currency code such as USD; Manager's e-mail address of entry 4 must be an e-mail address; must have a name or an address; and 1 more.",
    );
    expect(plainIssues([{ path: 'timezone', message: 'There is no such zone' }])).to.equal(
      'Time zone: There is no such zone.',
    );
  });
});
