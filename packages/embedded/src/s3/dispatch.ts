import {
  createBucket,
  deleteBucket,
  deleteObjects,
  getLocation,
  headBucket,
  listBuckets,
  listObjects,
} from './bucket-routes.ts';
import type { Exchange } from './exchange.ts';
import { abortUpload, completeUpload, createUpload, listParts, listUploads, uploadPart } from './multipart-routes.ts';
import { deleteObject, getObject, putObject } from './object-routes.ts';
import { S3Error } from './s3-error.ts';

type Route = (exchange: Exchange) => Promise<void>;

/**
 * Queries that choose another operation on the same address; those that are not offered say so instead of doing
 * something else.
 */
const SUBRESOURCES = new Set(
  'accelerate acl analytics attributes cors delete encryption inventory legal-hold lifecycle location logging metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock replication requestPayment restore retention select tagging torrent uploadId uploads versioning versions website'.split(
    ' ',
  ),
);

const SERVICE: Readonly<Record<string, Route>> = { GET: listBuckets };

const BUCKET: Readonly<Record<string, Route>> = {
  GET: listObjects,
  'GET uploads': listUploads,
  'GET location': getLocation,
  HEAD: headBucket,
  'POST delete': deleteObjects,
  DELETE: deleteBucket,
};

const OBJECT: Readonly<Record<string, Route>> = {
  GET: getObject,
  HEAD: getObject,
  PUT: putObject,
  DELETE: deleteObject,
  'GET uploadId': listParts,
  'PUT uploadId': uploadPart,
  'POST uploads': createUpload,
  'POST uploadId': completeUpload,
  'DELETE uploadId': abortUpload,
};

/** Finds the operation of a request and runs it. @throws S3Error */
export async function dispatch(exchange: Exchange): Promise<void> {
  const { request, bucket, key, store } = exchange;
  const subresource = [...exchange.query.keys()].find((name) => SUBRESOURCES.has(name));
  const name = [request.method, ...(subresource === undefined ? [] : [subresource])].join(' ');
  if (bucket !== '' && key === '' && name === 'PUT') return createBucket(exchange);
  const route = (bucket === '' ? SERVICE : key === '' ? BUCKET : OBJECT)[name];
  if (!route && subresource !== undefined) throw new S3Error('NotImplemented', `${name} is not offered.`);
  if (!route) throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
  if (bucket !== '') await store.requireBucket(bucket);
  await route(exchange);
}
