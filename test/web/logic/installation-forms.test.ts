import { expect } from 'chai';
import {
  keepsPassword,
  mailServerProblem,
  toEnteredMailServer,
  withSecurity,
} from '#web/features/installation/mail-form.js';
import {
  directoryProblem,
  issuerOf,
  readDomains,
  toEnteredProvider,
} from '#web/features/installation/provider-form.js';

const stored = {
  source: 'app',
  settings: {
    host: 'smtp.acme.com',
    port: 587,
    security: 'starttls',
    username: 'pay',
    from: 'pay@acme.com',
    hasPassword: true,
  },
} as const;

describe('the form of the mail server', () => {
  const filled = { ...toEnteredMailServer(null), host: 'smtp.acme.com', from: 'Acme Pay <pay@acme.com>' };

  it('can be saved with a server and a sender, and with a login only if it is encrypted and complete', () => {
    expect(mailServerProblem(filled, false)).to.equal(null);
    expect(mailServerProblem({ ...filled, username: 'pay' }, true)).to.equal(null);
    expect(mailServerProblem({ ...filled, username: 'pay' }, false), 'no password yet').to.equal('');
    expect(mailServerProblem({ ...filled, host: ' ' }, false), 'no server yet').to.equal('');
    expect(mailServerProblem({ ...filled, username: 'pay', security: 'none' }, true)).to.contain('encrypted');
    expect(mailServerProblem(filled, true)).to.contain('user name');
    for (const port of ['', '0', '65536', 'x'])
      expect(mailServerProblem({ ...filled, port }, false)).to.contain('port');
    expect(mailServerProblem({ ...filled, from: 'Acme' }, false)).to.contain('e-mail address');
  });

  it('changes the port with the encryption only while it is the usual one', () => {
    expect(withSecurity(filled, 'tls')).to.deep.equal({ security: 'tls', port: '465' });
    expect(withSecurity({ ...filled, port: '2525' }, 'tls')).to.deep.equal({ security: 'tls' });
  });

  it('keeps the stored password only for the same server and user', () => {
    const entered = toEnteredMailServer(stored);
    expect(keepsPassword(stored, { ...entered, from: 'other@acme.com' })).to.equal(true);
    for (const change of [{ host: 'evil.test' }, { port: '25' }, { username: 'other' }])
      expect(keepsPassword(stored, { ...entered, ...change })).to.equal(false);
    expect(keepsPassword(null, entered)).to.equal(false);
  });
});

describe('the form of an identity provider', () => {
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';

  it('has the issuer of Google, and that of Microsoft from the directory', () => {
    const entered = { ...toEnteredProvider('microsoft', null), directory: ` ${id.toUpperCase()} ` };
    expect(issuerOf('google', entered)).to.equal('https://accounts.google.com');
    expect(issuerOf('microsoft', entered)).to.equal(`https://login.microsoftonline.com/${id}/v2.0`);
    expect(directoryProblem(entered.directory)).to.equal(null);
    expect(directoryProblem('common')).to.contain('36 characters');
    const known = { kind: 'microsoft', issuer: issuerOf('microsoft', entered), domains: ['acme.com', 'acme.de'] };
    expect(toEnteredProvider('microsoft', known as never)).to.include({ directory: id, domains: 'acme.com, acme.de' });
  });

  it('reads domains as people type them', () => {
    expect(readDomains('@Acme.com, pay@acme.de;acme.com')).to.deep.equal(['acme.com', 'acme.de']);
    expect(readDomains(' ')).to.deep.equal([]);
  });
});
