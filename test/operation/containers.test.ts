import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig, settingsTable } from '#src/platform/config.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

interface ComposeService {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly stop_grace_period?: string;
}

describe('docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  const ours = Object.entries(services).filter(([, service]) => service.build !== undefined);

  it('has the servers, the step that migrates, and both kinds of processes', () =>
    expect(Object.keys(services)).to.have.members(['postgres', 'redis', 'mailpit', 'migrate', 'api', 'worker']));

  it('sets only what the configuration knows, to what it takes in production', () => {
    const known = settingsTable().map(({ name }) => name);
    for (const [name, { environment = {} }] of ours) {
      expect(known, name).to.include.members(Object.keys(environment));
      const given = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [
          key,
          value
            .replace(/\$\{MASTER_KEY:[^}]*\}/, Buffer.alloc(32, 1).toString('base64'))
            .replace(/\$\{[^}]*\}/, 'secret'),
        ]),
      );
      expect(() => readConfig({ ...given, NODE_ENV: 'production' }), name).to.not.throw();
    }
  });

  it('runs commands that there are', () => {
    for (const [name, { command = [] }] of ours) {
      const [verb = '', ...options] = command;
      const help = execFileSync(process.execPath, [path.join(root, 'bin/commissions.js'), verb, '--help'], {
        encoding: 'utf8',
      });
      for (const option of options) expect(help, name).to.include(option);
    }
  });

  it('starts nothing before what it needs is healthy, and the service only on a migrated database', () => {
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

  it('gives Redis an append-only file and no leave to forget, and a stop the time that it takes', () => {
    expect(services['redis']?.command?.join(' ')).to.include('--appendonly yes --maxmemory-policy noeviction');
    for (const name of ['api', 'worker'])
      expect(Number.parseInt(services[name]?.stop_grace_period ?? '', 10)).to.be.greaterThan(30);
  });

  it('mounts files that there are', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.filter((one) => one.startsWith('./')),
    );
    for (const mount of mounted) expect(existsSync(path.join(root, mount.split(':')[0] ?? '')), mount).to.equal(true);
    execFileSync('bash', ['-n', path.join(root, 'docker/roles.sh')]);
  });
});

describe('the Dockerfile', () => {
  const steps = read('Dockerfile')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const last = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM')));

  it('ends in a slim image with a browser and fonts, as nobody in particular, under an init', () => {
    expect(last[0]).to.equal('FROM node:24-slim');
    for (const name of ['chromium', 'fonts-noto-core', 'tini']) expect(last.join('\n')).to.include(` ${name}`);
    expect(last.findLast((step) => step.startsWith('USER'))).to.equal('USER node');
    expect(last.find((step) => step.startsWith('ENTRYPOINT'))).to.include(
      '"tini", "--", "node", "--max-semi-space-size=32", "bin/commissions.js"',
    );
  });

  it('copies what there is, builds with a script that there is, and holds no secret', () => {
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
