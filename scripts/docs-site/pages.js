/** The pages of the site in the order of its navigation; each is a Markdown file of the repository. */
export const groups = [
  {
    title: 'Begin',
    pages: [
      ['index', 'README.md'],
      ['glossary', 'docs/glossary.md'],
      ['changelog', 'CHANGELOG.md'],
    ],
  },
  {
    title: 'Commission',
    pages: ['plans', 'corrections', 'approvals', 'disputes-and-discrepancies', 'payouts', 'clawbacks', 'finance', 'documents'].map(ofFolder),
  },
  {
    title: 'Integrate',
    pages: ['client', 'errors', 'webhooks', 'warehouse', 'integrations', 'agents'].map(ofFolder),
  },
  {
    title: 'Operate',
    pages: ['operations', 'configuration', 'security', 'growing', 'performance'].map(ofFolder),
  },
  {
    title: 'Develop',
    pages: [
      ['architecture', 'ARCHITECTURE.md'],
      ['contributing', 'CONTRIBUTING.md'],
      ...['testing', 'releasing'].map(ofFolder),
      ['decisions', 'docs/decisions/README.md'],
    ],
  },
];

function ofFolder(name) {
  return [name, `docs/${name}.md`];
}
