import { expect } from 'chai';
import { toEntered, toSettings } from '#web/pages/settings/entered-crm-settings.js';
import { linesOf, toLines } from '#web/shared/format/entered-lists.js';

describe('lists that people enter', () => {
  it('have one value on each line, and values may contain commas', () => {
    expect(linesOf('Acme, Inc.\n  Globex \n\n')).to.deep.equal(['Acme, Inc.', 'Globex']);
    expect(toLines(['Acme, Inc.', 'Globex'])).to.equal('Acme, Inc.\nGlobex');
    expect(linesOf('')).to.deep.equal([]);
  });

  it('are the same settings of a CRM when nothing was entered, also with commas in names', () => {
    const settings = {
      people: { teams: ['Sales, EMEA', 'Sales, US'], roles: ['AE, senior'], emails: ['ann@acme.test'] },
      deals: { closedFrom: null, pipelines: ['New, direct', 'Renewals'] },
      fields: { arr: 'hs_arr', term: 'hs_term' },
      lineItems: true,
      companyFields: ['Industry, main', 'Size'],
      lines: { fields: { family: 'Family__c', region: 'Region__c' } },
      credits: { types: { 'Revenue, new': 'split', 'SE credit': { kind: 'overlay', role: 'SE, senior' } } },
      writeBack: null,
    } satisfies ReturnType<typeof toSettings>;
    expect(toSettings(toEntered(settings, { syncEnabled: true, pollSeconds: null }))).to.deep.equal(settings);
  });
});
