import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  findActivePage,
  findHome,
  findPages,
  findUrl,
  listNavigation,
  listPages,
  mayOpen,
  roleNames,
} from '#web/app/navigation.js';
import { mayPay } from '#web/app/session.js';

const roles = ['admin', 'manager', 'payroll', 'finance', 'auditor', 'rep'] as const;
const routes = ['router.tsx', 'admin-routes.ts']
  .map((name) => readFileSync(new URL(`../../../../web/src/app/${name}`, import.meta.url), 'utf8'))
  .join('\n');

describe('the search for a page', () => {
  it('finds pages by name, and settings by what they are', () => {
    const found = (text: string) => findPages('admin', text).map(({ label }) => label);
    expect(found('currency')).to.deep.equal(['Workspace']);
    expect(found('Time Z')).to.deep.equal(['Workspace']);
    expect(found('quota')).to.deep.equal(['Quota progress', 'Quotas']);
    expect(found('')).to.have.length(listPages('admin').length);
    expect(findPages('rep', 'currency')).to.deep.equal([]);
  });
});

describe('the navigation', () => {
  for (const role of roles)
    describe(`of the role ${role}`, () => {
      const pages = listPages(role);

      it('has each page once, with a name that is its only one', () => {
        expect(new Set(pages.map(({ to }) => to)).size).to.equal(pages.length);
        for (const group of listNavigation(role)) {
          const labels = group.items.map(({ label }) => label);
          expect(new Set(labels).size, group.label).to.equal(labels.length);
        }
      });

      it('leads to pages that exist', () => {
        for (const { to } of pages) expect(routes).to.include(`page('${to}'`);
      });

      it('has another shortcut for each page that has one', () => {
        const keys = pages.flatMap(({ key }) => key ?? []);
        expect(keys.length).to.be.greaterThan(0);
        expect(new Set(keys).size).to.equal(keys.length);
        for (const key of keys) expect(key).to.match(/^[a-z]$/);
      });

      it('begins with the page of the role, which a phone has in its bar', () => {
        expect(findHome(role)).to.equal(pages[0]?.to);
        const inBar = pages.filter(({ isInBar }) => isInBar);
        expect(inBar[0]?.to).to.equal(findHome(role));
        expect(inBar.length).to.be.greaterThan(2);
      });

      it('has no empty group', () => {
        for (const { items } of listNavigation(role)) expect(items).not.to.deep.equal([]);
        expect(roleNames[role].toLowerCase()).to.equal(role);
      });
    });

  it('has for a rep no page of a team, of payroll or of the workspace', () => {
    const labels = listPages('rep').map(({ label }) => label);
    for (const label of ['Team', 'Approvals', 'Pay periods', 'Plans', 'Workspace', 'Overview'])
      expect(labels).not.to.include(label);
  });

  it('has changes by agents for admins alone', () => {
    expect(findUrl('admin', 'Changes by agents')).to.equal('/agent-changes');
    expect(findUrl('manager', 'Changes by agents')).to.equal(undefined);
  });

  it('finds a page by its name', () => {
    expect(findUrl('rep', 'My pay')).to.equal('/me');
    expect(findUrl('rep', 'Questions')).to.equal('/me/questions');
    expect(findUrl('manager', 'Questions')).to.equal('/questions');
    expect(findUrl('rep', 'Nothing')).to.equal(undefined);
  });
});

describe('the active page of the navigation', () => {
  for (const [role, path, active] of [
    ['rep', '/me', '/me'],
    ['rep', '/me/plan', '/me/plan'],
    ['rep', '/deals/D-1', '/me/deals'],
    ['rep', '/questions/Q', '/me/questions'],
    ['rep', '/statements/own', '/statements'],
    ['manager', '/statements/own', '/statements'],
    ['manager', '/statements/other', '/approvals'],
    ['manager', '/questions/Q', '/questions'],
    ['payroll', '/statements/other', '/payroll-statements'],
    ['admin', '/statements/other', '/approvals'],
    ['admin', '/deals/D-1', '/deals'],
    ['admin', '/plans/P/edit', '/plans'],
    ['rep', '/me/mail', undefined],
    ['rep', '/account', undefined],
  ] as const)
    it(`of ${role} at ${path} is ${active ?? 'none'}`, () => {
      expect(findActivePage(role, 'own', path)).to.equal(active);
    });
});

describe('the pages that a role may open', () => {
  it('are those of its navigation for auditors, with what belongs to none', () => {
    for (const { to } of listPages('auditor')) expect(mayOpen('auditor', to), to).to.equal(true);
    expect(mayOpen('auditor', '/plans')).to.equal(false);
    for (const path of ['/approvals', '/team', '/holds', '/me']) {
      expect(mayOpen('auditor', path), path).to.equal(false);
      expect(mayOpen('manager', path), path).to.equal(true);
    }
    for (const path of ['/statements/S', '/deals/D', '/account']) expect(mayOpen('auditor', path), path).to.equal(true);
  });

  it('are none of admins alone for other roles, and no deals for payroll and finance, which the service does not give them', () => {
    for (const role of ['payroll', 'finance', 'auditor', 'manager'] as const)
      for (const path of ['/fiscal-calendar', '/recalculations', '/fx-rates', '/agent-changes'])
        expect([mayOpen('admin', path), mayOpen(role, path)], `${role} ${path}`).to.deep.equal([true, false]);
    expect(roles.filter((role) => mayOpen(role, '/deals/D'))).to.deep.equal(['admin', 'manager', 'auditor', 'rep']);
    for (const path of ['/payroll', '/holds', '/discrepancies', '/questions', '/hand-overs'])
      for (const role of ['payroll', 'finance'] as const) expect(mayOpen(role, path), `${role} ${path}`).to.equal(true);
  });
});

describe('pay', () => {
  it('is handed over, held and released by admins and payroll: finance and auditors only read it', () => {
    expect(roles.filter(mayPay)).to.deep.equal(['admin', 'payroll']);
  });
});
