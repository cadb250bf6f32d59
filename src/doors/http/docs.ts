import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { describeApi } from './openapi/openapi.ts'
import type { Doors } from './server.ts'

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Knowledge Vault API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, docExpansion: 'none', defaultModelsExpandDepth: 0, validatorUrl: null })`

/** The API description and a page to try it, both without any other host. */
export async function serveDocs(app: FastifyInstance, config: Config, doors: Doors): Promise<void> {
  // Kept as bytes: encoding half a megabyte of text for each answer would be its main cost.
  let description: Buffer | undefined
  app.get('/openapi.json', { config: { operation: 'openapi', compress: true } }, async (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(describeApi(doors, config.baseUrl)))
    return reply.type('application/json').send(description)
  })
  app.get('/docs', { config: { operation: 'docs', compress: true } }, async (_request, reply) =>
    reply.header('Content-Security-Policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  )
  app.get('/docs/start.js', { config: { operation: 'docs', compress: true } }, async (_request, reply) =>
    reply.type('text/javascript').send(START),
  )
  const require = createRequire(import.meta.url)
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, compress: true }
    })
    await scope.register(fastifyStatic, {
      root: join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static'),
      prefix: '/docs/assets/',
      decorateReply: false,
      index: false,
    })
  })
}
