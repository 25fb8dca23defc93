import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readConfig, settingsTable } from '#src/app/config.js';
import { ConfigError } from '#src/platform/config.js';

function problemsOf(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    const [heading, ...problems] = (error as ConfigError).message.split('\n');
    expect(heading).to.equal('The configuration is invalid:');
    return problems.map((problem) => problem.trim());
  }
  return expect.fail('the configuration was accepted');
}

describe('the configuration', () => {
  it('is valid without any setting', () => {
    expect(readConfig({})).to.deep.include({
      PORT: 3000,
      HOST: '127.0.0.1',
      DATA_DIR: '.data',
      DATABASE_POOL_SIZE: 12,
      WORKER_CONCURRENCY: 2,
      LOG_LEVEL: 'info',
      DRAIN_MS: 0,
      NO_DEMO: false,
      OIDC_TRUSTED_DOMAINS: [],
      OIDC_ALLOW_HTTP: false,
      TRUST_PROXY_HOPS: 0,
      FAILED_SIGN_INS_PER_MINUTE: 60,
    });
  });

  it('reads the settings and treats an empty text as absent', () => {
    const config = readConfig({
      PORT: '0',
      HOST: '',
      NO_DEMO: '1',
      REDIS_URL: 'rediss://cache:6380',
      DATABASE_URL: 'postgresql://db/x',
      UNRELATED: 'y',
    });
    expect(config).to.deep.include({
      PORT: 0,
      HOST: '127.0.0.1',
      NO_DEMO: true,
      REDIS_URL: 'rediss://cache:6380',
      DATABASE_URL: 'postgresql://db/x',
    });
    expect(config).not.to.have.property('UNRELATED');
  });

  for (const [text, value] of [
    ['0', false],
    ['false', false],
    ['1', true],
    ['true', true],
  ] as const) {
    it(`reads the switch ${text} as ${value}`, () => expect(readConfig({ NO_DEMO: text }).NO_DEMO).to.equal(value));
  }

  const unusable: readonly (readonly [name: string, value: string])[] = [
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['DATABASE_URL', 'mysql://db/x'],
    ['DATABASE_OWNER_URL', 'localhost:5432'],
    ['REDIS_URL', 'http://redis'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_POOL_SIZE', '201'],
    ['WORKER_CONCURRENCY', '0'],
    ['WORKER_CONCURRENCY', '65'],
    ['LOG_LEVEL', 'loud'],
    ['DRAIN_MS', '60001'],
    ['NO_DEMO', 'yes'],
  ];
  for (const [name, value] of unusable) {
    it(`rejects ${name}=${value} with the name and an example`, () => {
      const problems = problemsOf({ [name]: value });
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(new RegExp(`^${name} \\| .+ \\| for example .+$`));
    });
  }

  it('rejects several Redis servers without a mode, and a mode without servers', () => {
    const servers = 'rediss://redis-1:6379,rediss://redis-2:6379';
    expect(readConfig({ REDIS_URL: servers, REDIS_MODE: 'cluster' })).to.include({ REDIS_URL: servers });
    expect(() => readConfig({ REDIS_URL: servers })).to.throw('REDIS_MODE | is required with several servers');
    expect(() => readConfig({ REDIS_MODE: 'sentinel' })).to.throw('REDIS_URL | is required with REDIS_MODE=sentinel');
    expect(() => readConfig({ REDIS_URL: 'redis://a,http://b', REDIS_MODE: 'cluster' })).to.throw(
      'REDIS_URL | must be',
    );
  });

  it('reports all problems at once', () => {
    const problems = problemsOf({
      PORT: 'x',
      LOG_LEVEL: 'loud',
      REDIS_URL: 'redis',
      DATABASE_URL_FILE: '/no/such/file',
    });
    const names = problems.map((problem) => problem.split(' | ')[0]);
    expect(names.sort()).to.deep.equal(['DATABASE_URL_FILE', 'LOG_LEVEL', 'PORT', 'REDIS_URL']);
  });

  it('does not print a secret that it rejects', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://app:hunter2@db/x' }).join()).not.to.include('hunter2');
  });

  it('every setting of the table has a description and a valid example', () => {
    const usable = settingsTable().filter(({ example }) => !example.startsWith('the output of'));
    for (const { name, description, example } of settingsTable())
      expect([description, example], name).not.to.include('');
    const examples = Object.fromEntries(usable.map(({ name, example }) => [name, example]));
    // All settings together make a production environment, which requires its own key and allows less.
    const less = { OIDC_ALLOW_HTTP: '', CRM_ALLOW_LOOPBACK: '' };
    const config = readConfig({ ...examples, ...less, MASTER_KEY: Buffer.alloc(32, 1).toString('base64') });
    expect(config).to.include.all.keys(usable.map(({ name }) => name));
  });

  it('the table contains the defaults', () => {
    const fallbacks = Object.fromEntries(settingsTable().map(({ name, fallback }) => [name, fallback]));
    expect(fallbacks).to.deep.include({ PORT: '3000', HOST: '127.0.0.1', DATABASE_URL: '', NO_DEMO: 'false' });
  });

  describe('a secret in a file', () => {
    let folder: string;
    let file: string;

    before(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'commissions-config-'));
      file = path.join(folder, 'secret');
      writeFileSync(file, 'postgres://app:secret@db:5432/commissions\n');
    });

    after(() => rmSync(folder, { recursive: true }));

    it('is read without its line end', () => {
      expect(readConfig({ DATABASE_URL_FILE: file }).DATABASE_URL).to.equal(
        'postgres://app:secret@db:5432/commissions',
      );
    });

    it('is ignored when the setting itself is present', () => {
      expect(readConfig({ DATABASE_URL: 'postgres://other/x', DATABASE_URL_FILE: file }).DATABASE_URL).to.equal(
        'postgres://other/x',
      );
    });

    it('must exist', () => {
      const missing = path.join(folder, 'missing');
      expect(problemsOf({ REDIS_URL_FILE: missing })).to.deep.equal([
        `REDIS_URL_FILE | file ${missing} does not exist |`,
      ]);
    });

    it('must be a file', () => {
      expect(problemsOf({ REDIS_URL_FILE: folder })[0]).to.match(/^REDIS_URL_FILE \| /);
    });

    it('may be in a folder of files with the names of settings', () => {
      const mounted = path.join(folder, 'mounted');
      mkdirSync(mounted);
      writeFileSync(path.join(mounted, 'DATABASE_URL'), 'postgres://app:secret@db:5432/commissions\n');
      writeFileSync(path.join(mounted, 'LOG_LEVEL'), 'warn');
      writeFileSync(path.join(mounted, 'UNKNOWN'), 'x');
      const config = readConfig({ SETTINGS_DIR: mounted, LOG_LEVEL: 'error' });
      expect(config).to.include({ DATABASE_URL: 'postgres://app:secret@db:5432/commissions', LOG_LEVEL: 'error' });
      const missing = path.join(folder, 'missing');
      expect(problemsOf({ SETTINGS_DIR: missing })).to.deep.equal([
        `SETTINGS_DIR | folder ${missing} does not exist |`,
      ]);
    });

    it('must contain a valid value', () => {
      expect(problemsOf({ REDIS_URL_FILE: file })[0]).to.match(/^REDIS_URL \| must start with redis:/);
    });
  });
});
