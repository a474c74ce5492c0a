import { apiVersion, tokenHeader } from '../api/basics.js';
import { operations, type Operation } from './operations.js';
import { overviewSchemas } from './overview-schemas.js';
import { scheduleAndJobSchemas } from './schedule-and-job-schemas.js';
import { componentName, ref, type JsonSchema } from './schema.js';
import { taskSchemas } from './task-schemas.js';

/** The part of an OpenAPI 3.0 document that tells of the dashboard's API. */
export interface OpenApiPart {
  readonly tags: { name: string; description: string }[];
  readonly paths: Record<string, Record<string, JsonSchema>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
}

const tag = 'jobs';

/**
 * What a document of `@nestjs/swagger` lacks: to be laid over it, `paths` over its paths and `components.schemas` over its own.
 * `path` is where the dashboard is, with the application's global prefix.
 */
export function openApi({ path = '/jobs' }: { readonly path?: string } = {}): OpenApiPart {
  return partBelow(`/${path.replace(/^\/|\/$/g, '')}/api/v${apiVersion}`.replace('//', '/'));
}

function partBelow(base: string): OpenApiPart {
  const schemas = Object.entries({ ...overviewSchemas, ...taskSchemas, ...scheduleAndJobSchemas });
  return {
    tags: [{ name: tag, description: 'See and steer background jobs' }],
    paths: Object.fromEntries(
      operations.map((operation) => [
        `${base}/${operation.path}`,
        { [operation.method]: written(operation) },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(schemas.map(([name, { json }]) => [componentName(name), json])),
    },
  };
}

/** A whole document, for whoever has no other. */
export function openApiDocument() {
  return {
    openapi: '3.0.3',
    info: { title: 'nestjs-jobs dashboard', version: `${apiVersion}` },
    // Beside the document itself, wherever that was found.
    servers: [{ url: `../v${apiVersion}` }],
    ...partBelow(''),
  };
}

function written({ method, path, summary, role, query, body, answer }: Operation): JsonSchema {
  const ok =
    typeof answer === 'object'
      ? { [answer.type]: { schema: { type: answer.type === 'application/json' ? 'object' : 'string' } } }
      : { 'application/json': { schema: ref(answer).json } };
  return {
    tags: [tag],
    operationId: `jobs${path.replace(/(?:^|[/.])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    description: `Needs the role \`${role}\`.`,
    parameters: [...parametersOf(query), ...(method === 'post' ? [token] : [])],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: ref(body).json } } },
    }),
    responses: {
      200: { description: 'Done.', content: ok },
      default: {
        description: 'Why not.',
        content: { 'application/json': { schema: ref('Error').json } },
      },
    },
  };
}

const token = {
  name: tokenHeader,
  in: 'header',
  required: false,
  description:
    'The token of `session`, with its cookie, where no browser says `Sec-Fetch-Site: same-origin`.',
  schema: { type: 'string' },
};

function parametersOf(query: Operation['query']): JsonSchema[] {
  const { required = {}, optional = {} } = query ?? {};
  return Object.entries({ ...required, ...optional }).map(([name, schema]) => ({
    name,
    in: 'query',
    required: Object.hasOwn(required, name),
    schema,
  }));
}
