import { expect } from 'chai';
import { describeService } from '#src/app/describe-service.js';

// biome-ignore lint/suspicious/noExplicitAny: nodes of the document at every depth
type Node = any;

const document: Node = JSON.parse(JSON.stringify(describeService()));

describe('the descriptions of the OpenAPI document', () => {
  it('exist for every named schema and everything below it', () => {
    expect(
      Object.entries(document.components.schemas).flatMap(([name, one]) => pathsWithoutDescription(one, name)),
    ).to.deep.equal([]);
  });

  it('call deprecated exactly what is marked as deprecated', () => {
    const said: string[] = [];
    const marked: string[] = [];
    const visit = (node: Node, path: string) => {
      if (typeof node !== 'object' || node === null) return;
      const text = `${node.summary ?? ''} ${node.description ?? ''}`;
      // A response has the summary of its operation.
      if (/deprecated/i.test(text) && !/\/responses\/\d+$/.test(path)) said.push(path);
      if (node.deprecated === true) marked.push(path);
      for (const [name, part] of Object.entries(node)) visit(part, `${path}/${name}`);
    };
    visit(document, '');
    expect(marked).to.deep.equal(said);
    expect(marked).to.include.members(['/paths//v1/fields/attributes/get']);
  });

  for (const [path, methods] of Object.entries<Node>(document.paths))
    for (const [method, operation] of Object.entries<Node>(methods))
      it(`exist for every parameter, body and property of ${method.toUpperCase()} ${path}`, () => {
        const { parameters = [], requestBody, responses } = operation;
        expect([
          ...parameters.flatMap((parameter: Node) => parameterNodes(parameter)),
          ...(requestBody === undefined ? [] : withText(requestBody, 'body')),
          ...contentNodes(requestBody, 'body'),
          ...Object.entries<Node>(responses).flatMap(([status, response]) => [
            ...withText(response, status),
            ...contentNodes(response, status),
          ]),
        ]).to.deep.equal([]);
      });
});

function parameterNodes(parameter: Node): string[] {
  if ('$ref' in parameter) return withText(resolve(parameter.$ref), parameter.$ref);
  const name = `${parameter.in} parameter ${parameter.name}`;
  return isText(parameter.description) || isText(parameter.schema.description) ? [] : [name];
}

function contentNodes(owner: Node, path: string): string[] {
  return Object.values<Node>(owner?.content ?? {}).flatMap(({ schema }) => below(schema, path));
}

/** The paths of the node and of all nodes below it that have no description. */
function pathsWithoutDescription(node: Node, path: string): string[] {
  return [...withText(node, path), ...below(node, path)];
}

function below(node: Node, path: string): string[] {
  const properties = Object.entries(node.properties ?? {});
  const branches = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [
    ...properties.flatMap(([name, one]) => pathsWithoutDescription(one, `${path}.${name}`)),
    ...nested(node.items, `${path}[]`),
    ...nested(node.additionalProperties, `${path}{}`),
    ...branches.flatMap((branch, index) => nested(branch, `${path}|${index}`)),
  ];
}

/** Items, values and alternatives need their own description only if they are objects. */
function nested(node: Node, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return node.properties === undefined ? below(node, path) : pathsWithoutDescription(node, path);
}

/** A reference has the description of the schema that it names. */
function withText(node: Node, path: string): string[] {
  const target = node.$ref ?? (node.allOf?.length === 1 ? node.allOf[0].$ref : undefined);
  const own = isText(node.description);
  return own || (target !== undefined && isText(resolve(target).description)) ? [] : [path];
}

function isText(description: unknown): boolean {
  return typeof description === 'string' && description.length > 3;
}

function resolve(reference: string): Node {
  return reference
    .slice(2)
    .split('/')
    .reduce((node: Node, name) => node[name], document);
}
