import { Client } from 'pg';

/**
 * Preloaded for the suites on PostgreSQL. Lets each CREATE DATABASE copy the files of its template instead of writing every
 * page of it to the write-ahead log as well: that takes a third of the time, and only a busy server with much to lose needs
 * the log. https://www.postgresql.org/docs/15/sql-createdatabase.html
 */
const { query } = Client.prototype;

function copyFiles(this: Client, ...[statement, ...rest]: readonly unknown[]): unknown {
  const isCreation = typeof statement === 'string' && /^create database [^;]*$/i.test(statement);
  return Reflect.apply(query, this, [isCreation ? `${statement} STRATEGY FILE_COPY` : statement, ...rest]);
}

// The suites of a worker share the driver.
if (query.name !== copyFiles.name) Object.assign(Client.prototype, { query: copyFiles });
