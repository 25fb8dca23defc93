import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readConfig } from '#src/app/config.js';
import { ConfigError } from '#src/platform/config.js';
import { deletePreviousKeys, openSecrets, replaceGeneratedKey } from '#src/platform/secrets/master-key.js';
import { Secrets } from '#src/platform/secrets/secrets.js';

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

describe('secrets', () => {
  const secrets = new Secrets(Buffer.alloc(32, 1));

  it('are decrypted in the context in which they were encrypted', () => {
    for (const text of ['', 'code 123456', 'ü'.repeat(5000)]) {
      const sealed = secrets.seal('mail 1', text);
      expect(sealed.includes(Buffer.from(text)) && text !== '').to.equal(false);
      expect(secrets.open('mail 1', sealed)).to.equal(text);
    }
    expect(secrets.seal('a', 'x').equals(secrets.seal('a', 'x'))).to.equal(false);
  });

  it('cannot be decrypted in another context, with another key, or with one changed bit', () => {
    const sealed = secrets.seal('mail 1', 'code');
    expect(() => secrets.open('mail 2', sealed)).to.throw();
    expect(() => new Secrets(Buffer.alloc(32, 2)).open('mail 1', sealed)).to.throw();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => secrets.open('mail 1', changed), `byte ${at}`).to.throw();
    }
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => secrets.open('mail 1', sealed.subarray(0, length)), `length ${length}`).to.throw();
  });

  it('distinguishes lists of parts with the same concatenation', () => {
    expect(secrets.mac('p', 'ab', 'c').equals(secrets.mac('p', 'a', 'bc'))).to.equal(false);
    expect(secrets.mac('p', 'a').equals(secrets.mac('q', 'a'))).to.equal(false);
    expect(secrets.mac('p', 'a').equals(secrets.mac('p', 'a', ''))).to.equal(false);
    expect(secrets.mac('p', 'a').equals(secrets.mac('p', Buffer.from('a')))).to.equal(true);
  });
});

describe('the master key', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'commissions-key-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (environment: Record<string, string>) => openSecrets(readConfig(environment));

  it('is read from the setting', () => {
    const secrets = open({ MASTER_KEY: keyOf(9), DATA_DIR: folder });
    expect(new Secrets(Buffer.alloc(32, 9)).open('x', secrets.seal('x', 'text'))).to.equal('text');
  });

  it('decrypts with previous keys and encrypts with the present one', () => {
    const old = new Secrets(Buffer.alloc(32, 1)).seal('x', 'text');
    const secrets = open({ MASTER_KEY: keyOf(9), MASTER_KEY_PREVIOUS: `${keyOf(2)},${keyOf(1)}` });
    expect(secrets.open('x', old)).to.equal('text');
    expect(() => new Secrets(Buffer.alloc(32, 1)).open('x', secrets.seal('x', 'text'))).to.throw('another master key');
    expect(() => open({ MASTER_KEY: keyOf(9), MASTER_KEY_PREVIOUS: 'short' })).to.throw('MASTER_KEY_PREVIOUS');
  });

  it('that is generated is replaced once, and the old one decrypts until it is deleted', () => {
    const file = path.join(folder, 'secrets.json');
    const old = open({ DATA_DIR: folder }).seal('x', 'text');
    const first = readFileSync(file, 'utf8');
    replaceGeneratedKey(folder);
    const second = readFileSync(file, 'utf8');
    replaceGeneratedKey(folder);
    expect(readFileSync(file, 'utf8')).to.equal(second).and.not.to.equal(first);
    const secrets = open({ DATA_DIR: folder });
    expect(secrets.open('x', old)).to.equal('text');
    const fresh = secrets.seal('x', 'text');
    deletePreviousKeys(folder);
    expect(() => open({ DATA_DIR: folder }).open('x', old)).to.throw('another master key');
    expect(open({ DATA_DIR: folder }).open('x', fresh)).to.equal('text');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('is created once and readable only by its owner', () => {
    const DATA_DIR = path.join(folder, 'new', 'data');
    const sealed = open({ DATA_DIR }).seal('x', 'text');
    expect(open({ DATA_DIR }).open('x', sealed)).to.equal('text');
    expect(statSync(path.join(DATA_DIR, 'secrets.json')).mode & 0o777).to.equal(0o600);
  });

  it('does not replace a damaged file', () => {
    for (const text of ['', '{', '{}', '{"masterKey": "AAAA"}', '{"masterKey": 5}']) {
      writeFileSync(path.join(folder, 'secrets.json'), text);
      expect(() => open({ DATA_DIR: folder }), text).to.throw(ConfigError, 'secrets.json');
    }
  });

  const problems = (environment: Record<string, string>): string => {
    try {
      readConfig(environment);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('must be set in production with an external database', () => {
    const environment = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/x' };
    expect(problems(environment)).to.contain('MASTER_KEY | is required in production');
    expect(problems({ ...environment, MASTER_KEY: Buffer.alloc(32, 1).toString('base64') })).to.equal('');
    expect(problems({ NODE_ENV: 'production' })).to.equal('');
    for (const MASTER_KEY of ['x', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])
      expect(problems({ MASTER_KEY })).to.contain('MASTER_KEY | must be 32 bytes in base64');
  });

  it('rejects contradicting settings', () => {
    const oidc = {
      OIDC_ISSUER: 'https://a.test',
      OIDC_CLIENT_ID: 'x',
      OIDC_CLIENT_SECRET: 'y',
      PUBLIC_URL: 'https://b.test',
    };
    expect(problems(oidc)).to.equal('');
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'])
      expect(problems({ ...oidc, [name]: '' })).to.contain(`${name} | is required with OIDC_ISSUER`);
    expect(problems({ ...oidc, OIDC_ISSUER: 'http://a.test' })).to.contain('OIDC_ISSUER | must start with https://');
    expect(problems({ ...oidc, OIDC_ISSUER: 'http://a.test', OIDC_ALLOW_HTTP: '1' })).to.equal('');
    expect(problems({ NODE_ENV: 'production', OIDC_ALLOW_HTTP: '1' })).to.contain(
      'OIDC_ALLOW_HTTP | is not allowed in production',
    );
    expect(problems({ SMTP_URL: 'smtp://mail.test' })).to.contain('MAIL_FROM | is required with SMTP_URL');
    expect(problems({ MAIL_FROM: 'a@b.test\nBcc: c@d.test' })).to.contain('MAIL_FROM | must be one line');
  });
});
