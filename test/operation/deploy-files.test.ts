import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import '#src/app/composition.js';
import { settingsTable } from '#src/app/config.js';
import { registry } from '#src/platform/metrics.js';

const folder = new URL('../../../deploy/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly action: string };
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const rules: readonly Rule[] = parse(read('prometheus/alerts.yaml')).groups.flatMap(
  (group: { rules: readonly Rule[] }) => group.rules,
);
const panels: readonly Panel[] = JSON.parse(read('grafana/commissions.json')).panels;

/** The names of metrics in an expression: every other name is a function, an operator or inside of brackets. */
function metricsOf(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring) *\([^)]*\)/g, '');
  return [...bare.matchAll(/\b([a-z][a-z0-9_]*_[a-z0-9_]+)\b(?! *\()/g)].map(([, name]) => name as string);
}

/** The names of labels that an expression selects or groups by. */
function labelsOf(expression: string): string[] {
  const selected = [...expression.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, name]) => name as string);
  const grouped = [...expression.matchAll(/\bby *\(([^)]*)\)/g)].flatMap(([, names]) => (names as string).split(/, */));
  return [...selected, ...grouped];
}

/** Labels that Prometheus adds. */
const addedLabels = ['le', 'instance'];

describe('the files of deploy/', () => {
  let known: Map<string, ReadonlySet<string>>;

  before(() => {
    known = new Map();
    for (const { name, type } of registry.getMetricsAsArray() as unknown as { name: string; type: string }[]) {
      const metric = registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
      const names = type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => `${name}${end}`) : [name];
      for (const each of names) known.set(each, new Set([...metric.labelNames, ...addedLabels]));
    }
  });

  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ];

  it('name metrics and labels that the service has', () => {
    expect(rules.length).to.be.at.least(10);
    expect(panels.length).to.be.at.least(15);
    for (const [where, expression] of expressions) {
      const names = metricsOf(expression);
      expect(names, where).to.not.deep.equal([]);
      for (const name of names) {
        expect([...known.keys()], where).to.include(name);
        for (const label of labelsOf(expression)) expect([...(known.get(name) ?? [])], where).to.include(label);
      }
    }
  });

  it('have an alert for every metric whose description asks for one', async () => {
    const wanted = (await registry.getMetricsAsJSON()).filter(({ help }) => help.includes('alert on this'));
    expect(wanted.length).to.be.at.least(5);
    const alerted = rules.flatMap(({ expr }) => metricsOf(expr));
    expect(alerted).to.include.members(wanted.map(({ name }) => name));
  });

  it('say with each alert what is wrong and what to do', () => {
    for (const { alert, annotations } of rules) {
      expect(annotations.summary, alert).to.match(/\w/);
      expect(annotations.action, alert).to.match(/\w.*\.$/);
    }
  });

  it('of the chart set settings that exist, and declare every value that a template uses', () => {
    const values = parse(read('helm/commissions/values.yaml'));
    const names = settingsTable().map(({ name }) => name);
    const templates = readdirSync(new URL('helm/commissions/templates/', folder)).map((file) =>
      read(`helm/commissions/templates/${file}`),
    );
    const text = templates.join('\n');
    const set = [...text.matchAll(/name: ([A-Z][A-Z_]+)/g)].map(([, name]) => name as string);
    expect([...names, 'SETTINGS_DIR']).to.include.members([...Object.keys(values.settings), ...set]);
    for (const [used, path] of text.matchAll(/\.Values\.([A-Za-z.]+)/g)) {
      const value = (path as string).split('.').reduce((part, key) => part?.[key], values);
      expect(value, used).to.not.equal(undefined);
    }
    // Secrets are files: child processes and crash reports contain the environment.
    expect(text).to.not.match(/envFrom|secretKeyRef/);
    for (const file of ['_helpers.tpl', 'migration.yaml'])
      expect(read(`helm/commissions/templates/${file}`)).to.include('mountPath: /secrets');
  });
});
