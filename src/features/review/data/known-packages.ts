const namesIn = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Widely used packages of npm, without scopes. */
export const NPM_NAMES = namesIn(`
lodash react react-dom express axios chalk commander debug moment request async bluebird underscore uuid yargs webpack
typescript tslib rxjs vue angular jquery prop-types classnames body-parser dotenv glob minimist mkdirp rimraf semver colors
inquirer fs-extra through2 core-js regenerator-runtime babel-core babel-loader babel-runtime eslint prettier jest mocha chai
sinon karma jasmine gulp grunt rollup parcel vite vitest esbuild swc turbo nodemon concurrently cross-env cross-spawn execa
husky lint-staged stylelint postcss autoprefixer tailwindcss sass node-sass less css-loader style-loader sass-loader
file-loader url-loader ts-node ts-loader ts-jest html-webpack-plugin mini-css-extract-plugin webpack-cli webpack-dev-server
create-react-app create-vite create-next-app next nuxt gatsby svelte preact solid-js ember-cli redux react-redux redux-thunk
redux-saga mobx zustand recoil immer immutable reselect react-router react-router-dom react-scripts react-native styled-components
emotion formik yup zod joi ajv validator moment-timezone dayjs date-fns luxon numeral bignumber.js decimal.js mathjs
socket.io socket.io-client ws engine.io koa fastify hapi restify nestjs polka connect cors helmet morgan compression
cookie-parser cookie-session express-session express-validator multer passport passport-local passport-jwt jsonwebtoken
bcrypt bcryptjs crypto-js nodemailer mongoose mongodb mysql mysql2 sqlite3 better-sqlite3 sequelize typeorm prisma knex
kysely drizzle-orm redis ioredis bull bullmq amqplib kafkajs graphql apollo-server apollo-client node-fetch isomorphic-fetch
cross-fetch got superagent supertest nock undici cheerio puppeteer playwright cypress selenium-webdriver jsdom
winston pino bunyan log4js loglevel signale ora listr figlet boxen cli-table3 progress prompts enquirer open opn
chokidar watchpack micromatch minimatch picomatch fast-glob globby anymatch braces fill-range is-number kind-of
ansi-styles ansi-regex strip-ansi supports-color color-convert color-name has-flag escape-string-regexp wrap-ansi string-width
readable-stream safe-buffer inherits util-deprecate string_decoder iconv-lite qs query-string form-data mime mime-types
accepts send serve-static finalhandler on-finished ee-first depd statuses http-errors content-type raw-body bytes
lru-cache yallist p-limit p-queue p-map p-retry retry backoff once wrappy ini js-yaml yaml toml json5 xml2js fast-xml-parser
cheerio handlebars mustache ejs pug nunjucks marked markdown-it remark rehype highlight.js prismjs dompurify sanitize-html
d3 three chart.js echarts highcharts leaflet pixi.js gsap animejs lottie-web swiper aws-sdk firebase firebase-admin
stripe twilio sharp jimp canvas pdfkit pdf-lib exceljs xlsx csv-parse papaparse archiver adm-zip jszip tar node-gyp
node-pre-gyp bindings nan electron electron-builder pm2 forever serverless aws-cdk vercel netlify-cli lerna nx
http-server http-proxy http-proxy-middleware serve live-server browser-sync browserify uglify-js terser acorn esprima
left-pad event-stream ua-parser-js faker nanoid shortid slugify deepmerge object-assign lodash.merge lodash.debounce
`)

/** Widely used packages of PyPI. */
export const PYPI_NAMES = namesIn(`
requests numpy pandas scipy matplotlib seaborn scikit-learn tensorflow keras torch torchvision torchaudio transformers
django flask fastapi uvicorn gunicorn starlette pydantic sqlalchemy alembic psycopg2 psycopg2-binary psycopg pymysql
mysqlclient pymongo redis celery kombu boto3 botocore awscli s3transfer urllib3 certifi idna charset-normalizer chardet
six python-dateutil pytz tzdata setuptools wheel pip virtualenv pipenv poetry tox nox pytest pytest-cov pytest-mock
pytest-asyncio hypothesis coverage mock black flake8 pylint mypy ruff isort autopep8 bandit pre-commit jinja2 markupsafe
werkzeug itsdangerous click typer rich colorama tqdm tabulate pyyaml toml tomli attrs cattrs dataclasses typing-extensions
importlib-metadata zipp packaging pyparsing cffi pycparser cryptography pyopenssl paramiko bcrypt passlib pyjwt oauthlib
requests-oauthlib httpx httpcore aiohttp aiofiles anyio trio websockets websocket-client beautifulsoup4 lxml html5lib
selenium scrapy playwright pillow opencv-python imageio scikit-image pyarrow dask polars xgboost lightgbm catboost
statsmodels sympy networkx nltk spacy gensim openai anthropic langchain llama-index huggingface-hub tokenizers datasets
accelerate sentence-transformers faiss-cpu gradio streamlit plotly bokeh altair dash jupyter jupyterlab notebook ipython
ipykernel ipywidgets nbconvert nbformat openpyxl xlrd xlsxwriter python-docx reportlab pypdf pypdf2 pdfminer.six
google-api-python-client google-cloud-storage google-auth grpcio protobuf azure-core azure-storage-blob kubernetes docker
ansible fabric invoke psutil watchdog schedule apscheduler loguru structlog sentry-sdk python-dotenv environs decorator
wrapt deprecated cachetools joblib cloudpickle dill msgpack orjson ujson simplejson jsonschema marshmallow djangorestframework
django-filter django-cors-headers flask-cors flask-sqlalchemy flask-login graphene ariadne twisted tornado gevent eventlet
greenlet pyzmq pika confluent-kafka elasticsearch cassandra-driver neo4j influxdb-client prometheus-client opentelemetry-api
pywin32 pexpect sh plumbum gitpython pygithub python-gitlab slack-sdk discord.py tweepy twilio stripe faker factory-boy
freezegun responses vcrpy moto docutils sphinx mkdocs mkdocs-material pygments babel pyinstaller cython numba nuitka
shapely geopandas folium pyproj rasterio mlflow wandb optuna ray airflow apache-airflow prefect luigi great-expectations
`)
