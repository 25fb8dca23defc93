import { expect } from 'chai';
import { Browser, sees } from '#test/support/browser.js';
import { FakeOidc } from '#test/support/fake-oidc.js';
import { FakeSmtp } from '#test/support/fake-smtp.js';
import { violations } from './accessibility.js';
import { pointer } from './input-methods.js';

const email = 'alex@halden.test';

describe('mail and sign-in in the web app', () => {
  const browser = Browser.duringSuite({ isEmpty: true, service: { settings: { OIDC_ALLOW_HTTP: '1' } } });
  let smtp: FakeSmtp;
  let provider: FakeOidc;

  before(async () => {
    [smtp, provider] = await Promise.all([FakeSmtp.start(), FakeOidc.start()]);
    provider.person = { email, email_verified: true };
    const { service, workspace } = browser;
    await service.sql('insert into installation (operator_workspace_id) values ($1)', workspace.workspaceId);
  });
  after(() => Promise.all([smtp.stop(), provider.stop()]));

  it('sends a test mail through a server that an admin enters, and says when the server rejects one', async () => {
    const { hostname, port } = new URL(smtp.url);
    const { page, problems, close } = await browser.openPage('admin', '/installation');
    await sees(page, 'No mail server is set up');
    await pointer.press(page, 'button', 'Set up mail');
    await pointer.write(page, 'Server', hostname);
    await pointer.choose(page, 'Encryption', 'none (a server in your own network)');
    await pointer.write(page, 'Port', port);
    await pointer.write(page, 'Sender', 'Halden Pay <pay@halden.test>');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Save and send a test mail');
    await sees(page, `A test mail was sent to ${email}.`);
    await sees(page, `Mail is sent through ${hostname}, port ${port}, without a login`);
    expect(smtp.mails.map(({ to }) => to)).to.deep.equal([[email]]);
    expect(problems).to.deep.equal([]);
    smtp.rejections = 1;
    await pointer.press(page, 'button', 'Send a test mail');
    await sees(page, '451');
    expect(await violations(page)).to.deep.equal([]);
    await close();
  });

  it('signs people in with a provider that an admin enters', async () => {
    const { page, problems, close } = await browser.openPage('admin', '/installation');
    await pointer.press(page, 'button', 'Add another provider');
    await pointer.write(page, 'Address of the provider (issuer)', provider.issuer);
    await pointer.write(page, 'Client ID', provider.clientId);
    await pointer.write(page, 'Client secret', provider.clientSecret);
    await pointer.write(page, 'Words of the button: Sign in with …', 'Halden');
    expect(await violations(page)).to.deep.equal([]);
    await pointer.press(page, 'button', 'Check and save');
    await sees(page, 'People can sign in with Halden.');
    await sees(page, `${provider.issuer}, every verified address`);
    expect(problems).to.deep.equal([]);
    await close();

    const visitor = await browser.openPage(null, '/login');
    await pointer.press(visitor.page, 'link', 'Sign in with Halden');
    await sees(visitor.page, 'Alex Morgan');
    await visitor.close();
  });
});
