import { openApiDocument } from '../openapi/document.js';
import { get, type Route } from './route.js';

export function documentRoute(): Route {
  return get('openapi.json', () => openApiDocument());
}
