/**
 * Names of products, languages and companies that are one word to everybody, though they are written with inner
 * capitals. Their parts mean something else: `java` does not ask for JavaScript, nor `query` for jQuery. A name whose part
 * is asked for in its place is not here: `ssl` asks for OpenSSL as well, `postgres` for PostgreSQL and `mongo` for MongoDB.
 */
export const PRODUCT_NAMES = `ActionScript AirTable AppleScript BigQuery BitBucket BrowserStack CentOS CloudFlare
  CloudFormation CloudFront CloudTrail CloudWatch CodePen CodeSandbox CoffeeScript DataBricks DataDog DeepSeek DevOps
  DigitalOcean DocuSign DropBox ElasticSearch FaceBook FastAPI FireBase FireFox FireStore GitHub GitLab GraphQL HubSpot
  HuggingFace IntelliJ JavaScript JetBrains LaTeX LangChain LaunchDarkly LibreOffice LinkedIn MacBook MailChimp MixPanel
  NewRelic OneDrive OneNote OpenAI OpenOffice OpenSearch OpenShift OpenStack PagerDuty PayPal PhpStorm PostHog PostScript
  PowerBI PowerPC PowerPoint PowerShell PureScript PyCharm PyPI QuickBooks RStudio RedShift SQLite SalesForce SendGrid
  ServiceNow SharePoint SnapChat SnowFlake SonarQube StackBlitz TeamCity TensorFlow TypeScript VSCode VirtualBox WebStorm
  WhatsApp WiFi WordPad WordPress YouTube iCloud iOS iPad iPadOS iPhone jQuery macOS tvOS visionOS watchOS`
