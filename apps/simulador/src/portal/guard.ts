import type { Context } from 'hono';
import { redirect } from '../web/http.ts';
import { deltaResponse, redirectDelta } from './page.ts';

/** Whether the request is an asynchronous postback of an UpdatePanel. */
export function isDelta(c: Context): boolean {
  return (c.req.header('x-microsoftajax') ?? '').includes('Delta=true');
}

/**
 * Leads a browser without session to its log-in: a page by a redirection, an asynchronous postback by a `pageRedirect`
 * record with the same address; a page method gets 401 with ASP.NET's JSON.
 */
export function sendToLogin(address: string, c: Context): Response {
  const isPageMethod = (c.req.header('content-type') ?? '').startsWith('application/json');
  if (isPageMethod) return pageMethodError(401, 'Authentication failed.', 'System.InvalidOperationException');
  return isDelta(c) ? deltaResponse(redirectDelta(address)) : redirect(address);
}

/** The JSON with which ASP.NET refuses a call of a page method. */
export function pageMethodError(status: number, message: string, type: string): Response {
  const body = JSON.stringify({ Message: message, StackTrace: null, ExceptionType: type });
  const headers = { 'content-type': 'application/json; charset=utf-8', jsonerror: 'true' };
  return new Response(body, { status, headers });
}

/**
 * The first page of a mounted host. Mounting drops the slash of `/`, so the root with its slash is written as a segment
 * that is empty.
 */
export const ROOT = ['/', '/:vacio{^$}'];
